import { notFound } from "@tollgate/http/error-response";
import type { Handler } from "../../http/handler.ts";
import { contentSecurityPolicy, pageWithoutFiles, referencePage, scalarModule } from "./page.ts";
import { createScalarFiles, scalarFolder } from "./scalar-files.ts";

/** The names of chunks contain a hash of their content. */
const chunkCacheControl = "public, max-age=31536000, immutable";

/**
 * GET /docs. The page loads Scalar's files, and the OpenAPI document. In a checkout without these
 * files, it says how to get them.
 */
export function getDocs(folder = scalarFolder): Handler {
  const find = createScalarFiles(folder);
  return async ({ res, headers }) => {
    const module = await find(scalarModule);
    const body = Buffer.from(module === undefined ? pageWithoutFiles : referencePage);
    res.writeHead(200, {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-length": body.byteLength,
      "cache-control": "no-cache",
      "content-security-policy": contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    res.end(body);
  };
}

/** GET /docs/{file}. Scalar's files, compressed if the client accepts gzip. */
export function getDocsFile(folder = scalarFolder): Handler {
  const find = createScalarFiles(folder);
  return async ({ req, res, headers, pathParameter: name = "" }) => {
    const file = await find(name);
    if (file === undefined) throw notFound();
    const common = {
      ...headers,
      "cache-control": name.startsWith("chunks/") ? chunkCacheControl : "no-cache",
      etag: file.etag,
      vary: "accept-encoding",
    };
    if (req.headers["if-none-match"]?.includes(file.etag)) {
      res.writeHead(304, common).end();
      return;
    }
    const acceptsGzip = /\bgzip\b/.test(req.headers["accept-encoding"] ?? "");
    const body = acceptsGzip ? file.gzipped : file.body;
    res.writeHead(200, {
      ...common,
      "content-type": "text/javascript; charset=utf-8",
      "content-length": body.byteLength,
      "x-content-type-options": "nosniff",
      ...(acceptsGzip ? { "content-encoding": "gzip" } : {}),
    });
    res.end(body);
  };
}
