import type { IncomingMessage, RequestListener } from "node:http";
import { invalidParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { notFound } from "@tollgate/http/error-response";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import {
  answerErrors,
  answerFailure,
  refuseOtherMethods,
  refuseUnknownPath,
} from "./error-answer.ts";
import {
  type Exchange,
  type ExchangeParts,
  exchangeOf,
  openExchange,
  type Route,
  rememberExchange,
  withoutOrigin,
} from "./exchange.ts";
import { traceExchange } from "./trace-requests.ts";
import { livePath } from "./wire/live-transcription.ts";

/** Every route of the edge, by name. */
export interface Routes {
  chatCompletions: Route;
  embeddings: Route;
  rerank: Route;
  classification: Route;
  imageGenerations: Route;
  speech: Route;
  listVoices: Route;
  transcriptions: Route;
  liveTranscription: Route;
  ocr: Route;
  createOcrJob: Route;
  readOcrJob: Route;
  listConversations: Route;
  deleteConversations: Route;
  getConversation: Route;
  deleteConversation: Route;
  listModels: Route;
  getModel: Route;
  getCredits: Route;
  lookUpSettlement: Route;
  getHealth: Route;
  getOpenApi: Route;
  getDocs: Route;
}

/**
 * Answers every request. The addresses of POST routes hold nothing that varies, so a request that
 * names one just so meets its route at once; express finds the others, and refuses what is none.
 */
export function createApp(routes: Routes, parts: ExchangeParts): RequestListener {
  const { knows, log } = parts;
  const { posts, others } = createAddresses(routes, log);
  return (req, res) => {
    const exchange = openExchange(parts, req, res);
    const find = () => {
      if (lacksHost(req)) {
        return answerFailure(exchange, invalidParam("Host", "is required"), log);
      }
      const { method, url = "" } = req;
      const route = method === "POST" ? posts.get(url) : undefined;
      if (route !== undefined) return answer(exchange, url, route, log);
      rememberExchange(exchange);
      // Express makes of them what it says they are; an address without a path it gives back.
      others(req as Request, res as Response, (error?: unknown) => {
        answerFailure(exchange, error ?? notFound(), log);
      });
    };
    traceExchange(exchange, knows, find);
  };
}

/** The whole address space: read it and you know every route. */
export function createAddresses(
  routes: Routes,
  log: Log,
): { posts: ReadonlyMap<string, Route>; others: Express } {
  const posts = new Map([
    ["/v1/chat/completions", routes.chatCompletions],
    ["/v1/embeddings", routes.embeddings],
    ["/v1/rerank", routes.rerank],
    ["/v1/classification", routes.classification],
    ["/v1/images/generations", routes.imageGenerations],
    ["/v1/audio/speech", routes.speech],
    ["/v1/audio/transcriptions", routes.transcriptions],
    ["/v1/ocr", routes.ocr],
    ["/v1/ocr/jobs", routes.createOcrJob],
    ["/v1/hf/billing", routes.lookUpSettlement],
  ]);
  const others = createExpress();
  for (const [path, route] of posts) {
    others
      .route(path)
      .post(handler(path, route, log))
      .all(refuseOtherMethods("POST"));
  }
  get("/v1/audio/voices", routes.listVoices);
  get(livePath, routes.liveTranscription);
  get("/v1/ocr/jobs/*id", routes.readOcrJob);
  getOrDelete("/v1/conversations", routes.listConversations, routes.deleteConversations);
  getOrDelete("/v1/conversations/*id", routes.getConversation, routes.deleteConversation);
  get("/v1/models", routes.listModels);
  get("/v1/models/*alias", routes.getModel);
  get("/v1/credits", routes.getCredits);
  get("/v1/health", routes.getHealth);
  get("/openapi.json", routes.getOpenApi);
  get("/docs", routes.getDocs);
  others.use(refuseUnknownPath);
  others.use(answerErrors(log));
  return { posts, others };

  function get(path: string, route: Route): void {
    others
      .route(path)
      .get(handler(path, route, log))
      .all(refuseOtherMethods("GET", "HEAD"));
  }

  function getOrDelete(path: string, reading: Route, deleting: Route): void {
    const route = others.route(path);
    route.get(handler(path, reading, log)).delete(handler(path, deleting, log));
    route.all(refuseOtherMethods("GET", "HEAD", "DELETE"));
  }
}

function handler(path: string, route: Route, log: Log): RequestHandler {
  return (req) => {
    const exchange = exchangeOf(req);
    const [parameter = []] = Object.values(req.params);
    exchange.pathParameter = [parameter].flat().join("/");
    answer(exchange, path, route, log);
  };
}

function answer(exchange: Exchange, path: string, route: Route, log: Log): void {
  exchange.route = path;
  route(exchange).catch((error) => answerFailure(exchange, error, log));
}

/** HTTP/1.1 asks that such a request be refused (RFC 9112, 3.2). */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.host === undefined;
}

function createExpress(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  return app.use(takePathAlone, takePathAsItIs);
}

/** What a whole URL says in front of its path names this gateway, and nothing of use to a route. */
const takePathAlone: RequestHandler = (req, _res, next) => {
  req.url = withoutOrigin(req.url);
  next();
};

/**
 * An id with a broken percent escape is an id that nobody has: its route refuses it like any other,
 * after the key. Such a path is taken as it is written.
 */
const takePathAsItIs: RequestHandler = (req, _res, next) => {
  try {
    decodeURIComponent(req.path);
  } catch {
    req.url = req.url.replaceAll("%", "%25");
  }
  next();
};
