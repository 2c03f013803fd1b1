import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import express, { type Express, type Router } from "express";
import { recordRequests } from "../http/record-requests.ts";

/** Creates the listener of webhooks alone, which may be public where the console is not. */
export function createWebhookApp(
  route: Router,
  { log, metrics }: { log: Log; metrics: Metrics },
): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(recordRequests({ log, metrics, calls: new Set() }));
  app.use(route);
  app.use((_req, res) => void res.status(404).type("text/plain").send("not found\n"));
  return app;
}
