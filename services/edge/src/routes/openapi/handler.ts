import type { Handler } from "../../http/handler.ts";
import { jsonType } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";

/** Short, so that clients soon see the document of an updated gateway. */
const cacheControl = "public, max-age=300";

/** GET /openapi.json. The document is created on the first request. */
export function getOpenApi({ openApiDocument }: RouteDependencies): Handler {
  let body: Buffer | undefined;
  return async ({ res, headers }) => {
    body ??= Buffer.from(JSON.stringify(openApiDocument()));
    res.writeHead(200, {
      ...headers,
      "content-type": jsonType,
      "content-length": body.byteLength,
      "cache-control": cacheControl,
      // The document is public, and web-based tools read it from their own origins.
      "access-control-allow-origin": "*",
    });
    res.end(body);
  };
}
