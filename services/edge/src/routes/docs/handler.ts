import type { Handler } from "../../http/handler.ts";
import { contentSecurityPolicy, referencePage } from "../../reference/page.ts";
import type { RouteDependencies } from "../dependencies.ts";

/** Short, so that readers soon see the page of an updated gateway. */
const cacheControl = "public, max-age=300";

/** GET /docs. The page is created on the first request. */
export function getDocs({ openApiDocument }: RouteDependencies): Handler {
  let body: Buffer | undefined;
  return async ({ res, headers }) => {
    body ??= Buffer.from(referencePage(openApiDocument()));
    res.writeHead(200, {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-length": body.byteLength,
      "cache-control": cacheControl,
      "content-security-policy": contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    res.end(body);
  };
}
