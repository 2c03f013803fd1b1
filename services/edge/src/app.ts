import type { RequestListener } from "node:http";
import type { Log } from "@tollgate/core/log";
import { notFound } from "@tollgate/http/error-response";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { type Cors, type CorsOrigins, createCors, isPreflight } from "./http/cors.ts";
import type { ErrorForm } from "./http/error-form.ts";
import {
  rejectOtherMethods,
  rejectUnknownPath,
  sendError,
  sendRoutingErrors,
} from "./http/error-response.ts";
import type { Handler } from "./http/handler.ts";
import { headerFault } from "./http/header-fault.ts";
import {
  attachContext,
  createRequestContext,
  type RequestContext,
  type RequestContextOptions,
  requestContextOf,
  setHeaders,
} from "./http/request-context.ts";
import { withoutOrigin } from "./http/url.ts";
import type { RouteDependencies } from "./routes/dependencies.ts";
import type { Method, Route } from "./routes/route.ts";
import { traceRequest } from "./trace-requests.ts";

/** A route with its handler. */
export interface ServedRoute {
  method: Method;
  path: string;
  handler: Handler;
  errorForm?: ErrorForm | undefined;
}

export interface AppOptions extends RequestContextOptions {
  corsOrigins: CorsOrigins;
}

/** Creates the listener that serves every request by the route table. */
export function createEdgeApp(
  routes: readonly Route[],
  dependencies: RouteDependencies,
  options: AppOptions,
): RequestListener {
  const { knows, log, corsOrigins } = options;
  const served = routes.map((route) => ({
    method: route.method,
    path: route.path,
    handler: route.createHandler(dependencies),
    errorForm: route.errorForm,
  }));
  const posts = postsByUrl(served);
  const cors = createCors(corsOrigins);
  const router = createRouter(served, log, cors);
  return (req, res) => {
    const context = createRequestContext(options, req, res);
    if (!isPreflight(req)) cors?.allow(req, res);
    const dispatch = () => {
      const fault = headerFault(req);
      if (fault !== undefined) return sendError(context, fault, log);
      const { method, url = "" } = req;
      const route = method === "POST" ? posts.get(url) : undefined;
      if (route !== undefined) return run(context, route, log);
      attachContext(context);
      // Express extends both objects itself. It calls back for an address without a path.
      router(req as Request, res as Response, (error?: unknown) => {
        sendError(context, error ?? notFound(), log);
      });
    };
    traceRequest(context, knows, dispatch);
  };
}

/**
 * Returns the POST routes by their URL. They have no parameters, so a request whose URL is exactly
 * the route's path needs no router.
 */
function postsByUrl(routes: readonly ServedRoute[]): ReadonlyMap<string, ServedRoute> {
  return new Map(
    routes.filter(({ method }) => method === "POST").map((route) => [route.path, route]),
  );
}

/**
 * Creates the express router of the routes. It rejects other methods and unknown paths. With `cors`,
 * it responds to preflights of known paths.
 */
export function createRouter(routes: readonly ServedRoute[], log: Log, cors?: Cors): Express {
  const app = createExpress();
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const route = app.route(path.replace(/\{(\w+)\}/, "*$1"));
    for (const served of ofPath) {
      const handler = expressHandler(served, log);
      if (served.method === "GET") route.get(handler);
      else if (served.method === "POST") route.post(handler);
      else route.delete(handler);
    }
    const allowed = allowedMethods(ofPath);
    if (cors !== undefined) route.options(respondToPreflights(path, cors, allowed));
    route.all(rejectOtherMethods(path, allowed, ofPath[0]?.errorForm));
  }
  app.use(rejectUnknownPath);
  app.use(sendRoutingErrors(log));
  return app;
}

function respondToPreflights(path: string, cors: Cors, allowed: readonly string[]): RequestHandler {
  const preflight = cors.createPreflight(allowed);
  return (req, res, next) => {
    if (!isPreflight(req)) return next();
    const context = requestContextOf(req);
    context.route = path;
    setHeaders(context);
    preflight(req, res);
  };
}

/** Express serves HEAD by the GET route. */
function allowedMethods(routes: readonly ServedRoute[]): string[] {
  return routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

function expressHandler(route: ServedRoute, log: Log): RequestHandler {
  return (req) => {
    const context = requestContextOf(req);
    const [parameter = []] = Object.values(req.params);
    context.pathParameter = [parameter].flat().join("/");
    run(context, route, log);
  };
}

function run(context: RequestContext, route: ServedRoute, log: Log): void {
  const { path, handler, errorForm } = route;
  context.route = path;
  if (errorForm !== undefined) context.errorForm = errorForm;
  handler(context).catch((error) => sendError(context, error, log));
}

function createExpress(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  return app.use(removeOrigin, escapeBrokenPath);
}

/** An absolute URL names this gateway in front of its path. Routes need only the path. */
const removeOrigin: RequestHandler = (req, _res, next) => {
  req.url = withoutOrigin(req.url);
  next();
};

/**
 * A path with a broken percent escape is taken literally, so that its route rejects the id in it
 * like any other unknown id, after authentication.
 */
const escapeBrokenPath: RequestHandler = (req, _res, next) => {
  try {
    decodeURIComponent(req.path);
  } catch {
    req.url = req.url.replaceAll("%", "%25");
  }
  next();
};
