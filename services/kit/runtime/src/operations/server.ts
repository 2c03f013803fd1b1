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
 * Answers what an orchestrator asks, on a port that no client reaches: `/livez`, 200 as long as the
 * process answers at all; `/readyz`, 200 while it wants new work; `/metrics`, for Prometheus.
 */
export async function serveOperations(
  address: string,
  metrics: Metrics,
  readiness: Readiness,
): Promise<OperationsServer> {
  const answers: Readonly<Record<string, (res: ServerResponse) => void | Promise<void>>> = {
    "/livez": (res) => answer(res, 200, "alive"),
    "/readyz": (res) => answer(res, readiness.state() === "ready" ? 200 : 503, readiness.state()),
    "/metrics": async (res) => {
      const text = await metrics.registry.metrics();
      res.setHeader("content-type", metrics.registry.contentType);
      res.end(text);
    },
  };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const path = req.url ?? "";
    const known = Object.hasOwn(answers, path) ? answers[path] : undefined;
    void (known ?? notThere)(res);
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

function answer(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  res.end(`${text}\n`);
}

function notThere(res: ServerResponse): void {
  answer(res, 404, "here are /livez, /readyz and /metrics");
}
