import express, { type Express, type RequestHandler } from "express";
import { answerErrors, refuseOtherMethods, refuseUnknownPath } from "./error-answer.ts";
import { type ExchangeParts, handle, openExchange, type Route } from "./exchange.ts";
import { traceRequests } from "./trace-requests.ts";
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

/** The whole address space: read it and you know every route. */
export function createApp(routes: Routes, parts: ExchangeParts): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.use(openExchange(parts));
  app.use(takePathAsItIs);
  if (parts.tracer !== undefined) app.use(traceRequests(parts.tracer, parts.knows));
  post(app, "/v1/chat/completions", routes.chatCompletions);
  post(app, "/v1/embeddings", routes.embeddings);
  post(app, "/v1/rerank", routes.rerank);
  post(app, "/v1/classification", routes.classification);
  post(app, "/v1/images/generations", routes.imageGenerations);
  post(app, "/v1/audio/speech", routes.speech);
  get(app, "/v1/audio/voices", routes.listVoices);
  post(app, "/v1/audio/transcriptions", routes.transcriptions);
  get(app, livePath, routes.liveTranscription);
  post(app, "/v1/ocr", routes.ocr);
  post(app, "/v1/ocr/jobs", routes.createOcrJob);
  get(app, "/v1/ocr/jobs/*id", routes.readOcrJob);
  getOrDelete(app, "/v1/conversations", routes.listConversations, routes.deleteConversations);
  getOrDelete(app, "/v1/conversations/*id", routes.getConversation, routes.deleteConversation);
  get(app, "/v1/models", routes.listModels);
  get(app, "/v1/models/*alias", routes.getModel);
  get(app, "/v1/credits", routes.getCredits);
  post(app, "/v1/hf/billing", routes.lookUpSettlement);
  get(app, "/v1/health", routes.getHealth);
  get(app, "/openapi.json", routes.getOpenApi);
  get(app, "/docs", routes.getDocs);
  app.use(refuseUnknownPath);
  app.use(answerErrors(parts.log));
  return app;
}

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

function get(app: Express, path: string, route: Route): void {
  app.route(path).get(handle(path, route)).all(refuseOtherMethods("GET", "HEAD"));
}

function getOrDelete(app: Express, path: string, reading: Route, deleting: Route): void {
  const route = app.route(path).get(handle(path, reading)).delete(handle(path, deleting));
  route.all(refuseOtherMethods("GET", "HEAD", "DELETE"));
}

function post(app: Express, path: string, route: Route): void {
  app.route(path).post(handle(path, route)).all(refuseOtherMethods("POST"));
}
