import type { RequestHandler } from "express";

const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** One year, as the preload list requires. */
const strictTransport = "max-age=31536000";

/** Adds the headers that confine what a page of the console can load, and who can embed it. */
export function setSecurityHeaders(isSecure: boolean): RequestHandler {
  return (_req, res, next) => {
    res.setHeader("Content-Security-Policy", policy);
    res.setHeader("X-Content-Type-Options", "nosniff");
    res.setHeader("X-Frame-Options", "DENY");
    res.setHeader("Referrer-Policy", "no-referrer");
    res.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    res.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    if (isSecure) res.setHeader("Strict-Transport-Security", strictTransport);
    next();
  };
}
