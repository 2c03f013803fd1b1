import { jsonType } from "../answer.ts";
import type { Exchange, Route } from "../exchange.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { refuseQuery } from "../query.ts";
import { contentSecurityPolicy, referencePage } from "../reference/page.ts";

/** Long enough for a reader's visit, short enough for a gateway that was updated. */
const cacheControl = "public, max-age=300";

/** GET /openapi.json: the description of every route. It is made when it is first asked for. */
export function getOpenApi(document: () => OpenApiDocument): Route {
  let body: Buffer | undefined;
  return async (exchange) => {
    refuseQuery(exchange.req);
    body ??= Buffer.from(JSON.stringify(document()));
    // The document holds no secrets, and tools read it from their own pages.
    exchange.res.setHeader("access-control-allow-origin", "*");
    write(exchange, jsonType, body);
  };
}

/** GET /docs: the same for people, on a page that asks nothing of anyone else. */
export function getDocs(document: () => OpenApiDocument): Route {
  let body: Buffer | undefined;
  return async (exchange) => {
    body ??= Buffer.from(referencePage(document()));
    exchange.res.setHeader("content-security-policy", contentSecurityPolicy);
    exchange.res.setHeader("x-content-type-options", "nosniff");
    exchange.res.setHeader("referrer-policy", "no-referrer");
    write(exchange, "text/html; charset=utf-8", body);
  };
}

function write({ res, headers }: Exchange, contentType: string, body: Buffer): void {
  res.writeHead(200, {
    ...headers,
    "content-type": contentType,
    "content-length": body.byteLength,
    "cache-control": cacheControl,
  });
  res.end(body);
}
