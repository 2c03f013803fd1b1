import type { Route } from "../call.ts";

export const health: Route = {
  method: "GET",
  path: "/_simulator/health",
  handle: ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"status":"ok"}');
  },
};
