import type { SimulatorRoute } from "../call.ts";

export const health: SimulatorRoute = {
  method: "GET",
  path: "/_simulator/health",
  handle: ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"status":"ok"}');
  },
};
