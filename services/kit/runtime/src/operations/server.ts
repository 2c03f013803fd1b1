import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { StartError } from "@tollgate/core/errors";
import { parseHttpAddress } from "@tollgate/http/address";
import { stopperOf } from "@tollgate/http/stop-server";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

export interface OperationsServer {
  stop(): Promise<void>;
}

/**
 * Serves an orchestrator's probes on a port that no client can reach: `/livez` returns 200 while
 * the process runs, `/readyz` returns 200 while it accepts new work and 503 otherwise, and
 * `/metrics` returns the metrics for Prometheus. Throws a StartError when it cannot listen at `address`.
 */
export async function serveOperations(
  address: string,
  metrics: Metrics,
  readiness: Readiness,
): Promise<OperationsServer> {
  const routes: Readonly<Record<string, (res: ServerResponse) => void | Promise<void>>> = {
    "/livez": (res) => sendText(res, 200, "alive"),
    "/readyz": (res) => sendText(res, readiness.state() === "ready" ? 200 : 503, readiness.state()),
    "/metrics": async (res) => {
      const text = await metrics.registry.metrics();
      res.setHeader("content-type", metrics.registry.contentType);
      res.end(text);
    },
  };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const path = req.url ?? "";
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    void (route ?? sendNotFound)(res);
  });
  const stop = stopperOf(server);
  await listen(server, address);
  return { stop: () => stop(0) };
}

async function listen(server: ReturnType<typeof createServer>, address: string): Promise<void> {
  const variable = "TOLLGATE_OPERATIONS_LISTEN";
  const parsed = parseHttpAddress(variable, address);
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new StartError(`${variable} ${address}: ${error.message}`));
    });
    if ("socketPath" in parsed) server.listen(parsed.socketPath, resolve);
    else server.listen(parsed.port, parsed.host, resolve);
  });
}

function sendText(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  res.end(`${text}\n`);
}

function sendNotFound(res: ServerResponse): void {
  sendText(res, 404, "not found: this port serves /livez, /readyz and /metrics");
}
