import type { DescService } from "@bufbuild/protobuf";
import { createContextValues } from "@connectrpc/connect";
import { expressConnectMiddleware } from "@connectrpc/connect-express";
import type { Log } from "@tollgate/core/log";
import { withoutMapping } from "@tollgate/http/mapped-address";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import express, { type ErrorRequestHandler, type Express, type Router } from "express";
import { recordRequests } from "./http/record-requests.ts";
import { requireOrigin } from "./http/require-origin.ts";
import { setSecurityHeaders } from "./http/security-headers.ts";
import { servePage } from "./http/static-page.ts";
import { playgroundPath } from "./playground/playground-route.ts";
import { clientAddress, type RouteRegistration } from "./rpc/call-context.ts";

/** A catalog of 1 MiB, escaped as JSON. */
const maxRequestBytes = 2 * 1024 * 1024;
const maxTimeoutMs = 60 * 60_000;

export interface AppParts {
  routes: RouteRegistration;
  /** The sign-in by an OpenID provider, where there is one. */
  providerRoutes: Router | undefined;
  /** The requests of the playground, where there is one. */
  playground: Router | undefined;
  /** The webhooks, unless they have a listener of their own. */
  webhooks: Router | undefined;
  origin: string | undefined;
  proxies: number;
  log: Log;
  metrics: Metrics;
}

/** Creates the listener of the console: the two services over Connect, and the page. */
export function createConsoleApp({
  routes,
  providerRoutes,
  playground,
  webhooks,
  origin,
  proxies,
  log,
  metrics,
}: AppParts): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", proxies);
  const calls = new Set([OperatorService, ConsoleService].flatMap(pathsOf)).add(playgroundPath);
  app.use(recordRequests({ log, metrics, calls }));
  app.use(setSecurityHeaders(origin?.startsWith("https:") === true));
  if (webhooks !== undefined) app.use(webhooks);
  app.use(requireOrigin(origin));
  const connect = expressConnectMiddleware({
    routes,
    // Programs and pages use Connect's own protocol.
    grpc: false,
    grpcWeb: false,
    readMaxBytes: maxRequestBytes,
    // A field that is misspelt must not be ignored, nor forwarded to a newer billing unchecked.
    jsonOptions: { ignoreUnknownFields: false },
    binaryOptions: { readUnknownFields: false },
    maxTimeoutMs,
    contextValues: (req) => createContextValues().set(clientAddress, withoutMapping(req.ip ?? "")),
  });
  app.use((req, res, next) => {
    if (calls.has(req.path)) res.setHeader("Cache-Control", "no-store");
    connect(req, res, next);
  });
  if (providerRoutes !== undefined) app.use(providerRoutes);
  if (playground !== undefined) app.use(playground);
  app.use(servePage());
  app.use((_req, res) => void res.status(404).type("text/plain").send("not found\n"));
  app.use(sendFailure(log));
  return app;
}

function pathsOf(service: DescService): string[] {
  return service.methods.map(({ name }) => `/${service.typeName}/${name}`);
}

/** Express finds an error handler by its four parameters. */
function sendFailure(log: Log): ErrorRequestHandler {
  return (error: { status?: number }, _req, res, _next) => {
    const status = error.status ?? 500;
    if (status >= 500) log.error({ err: error }, "request of the console failed");
    if (!res.headersSent) res.status(status).type("text/plain").send("The request failed.\n");
    else res.destroy();
  };
}
