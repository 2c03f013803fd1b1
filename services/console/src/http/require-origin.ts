import type { Request, RequestHandler } from "express";

/**
 * Refuses a request other than a GET that a page of another origin sends. Browsers send the header
 * `Origin` with each of these; a program with a token sends none.
 */
export function requireOrigin(ownOrigin: string | undefined): RequestHandler {
  return (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") return next();
    const { origin } = req.headers;
    const isOwn = origin === undefined ? !usesCookie(req) : isOwnOrigin(origin, req, ownOrigin);
    if (isOwn) return next();
    const expected = ownOrigin === undefined ? "the console's own" : ownOrigin;
    const message = `The header Origin must be ${expected}. TOLLGATE_CONSOLE_URL sets it.`;
    // The form of an error of Connect.
    res.status(403).json({ code: "permission_denied", message });
  };
}

function usesCookie({ headers }: Request): boolean {
  return headers.cookie !== undefined && headers.authorization === undefined;
}

/** Without a URL of the console, its page has the host that its requests name. */
function isOwnOrigin(origin: string, req: Request, ownOrigin: string | undefined): boolean {
  if (ownOrigin !== undefined) return origin === ownOrigin;
  const { host } = req.headers;
  return origin === `http://${host}` || origin === `https://${host}`;
}
