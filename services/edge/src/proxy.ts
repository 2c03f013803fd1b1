import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  envelope,
  type GatewayError,
  internalError,
  serviceUnavailable,
} from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "@tollgate/http/address";
import { logPeerFailure, sendError, sendErrorOnSocket } from "@tollgate/http/error-response";
import { aliasHeader, forwardCaller } from "@tollgate/http/forwarded-caller";
import { gatherChunks } from "@tollgate/http/gather-chunks";
import { endAfterRequest } from "@tollgate/http/linger";
import { limitFinalStall, limitStall, maxStallMs } from "@tollgate/http/stall";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { createProxyMiddleware, debugProxyErrorsPlugin, definePlugin } from "http-proxy-middleware";
import { exchangeOf } from "./exchange.ts";
import { closeCodes, lastFrames, watchFrames } from "./frame-watch.ts";
import { createReplicaAgent } from "./replica-agent.ts";

/** The agent decides which replica a request goes to; this only has to be an address. */
const target = "http://service";

/** Hands requests to a service as they are, body untouched, in the name of their caller. */
export interface ServiceProxy {
  web(req: IncomingMessage, res: ServerResponse, caller: Caller): void;
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, order: UpgradeOrder): void;
  close(): void;
}

/** On whose behalf an upgrade is proxied, and what is added to its answer. */
export interface UpgradeOrder {
  caller: Caller;
  /** Headers of the answer, whether the upgrade is taken or refused. */
  headers: Readonly<Record<string, string>>;
  /** The sub-protocol of an upgrade that is taken, where the service does not choose one. */
  protocol: string | undefined;
  /** Told the status of its answer: 101 where the service takes it. */
  answered(status: number): void;
  /** Ends the stream when it aborts. Its reason, a GatewayError, is told to the client. */
  signal: AbortSignal;
}

export function createServiceProxy(
  replicas: readonly HttpAddress[],
  peerAuth: PeerAuth,
  log: Log,
  stallMs = maxStallMs,
): ServiceProxy {
  const agent = createReplicaAgent(replicas);
  /** Upgrades that are not answered yet: on their connections a refusal can still be written. */
  const unanswered = new WeakMap<IncomingMessage, UpgradeOrder>();
  const answerErrors = definePlugin((proxy) => {
    proxy.on("error", (error, req, to) => {
      if (to === undefined || to.destroyed) return;
      logPeerFailure(error, log);
      // A body that is piped to where nobody reads would be read by nobody else either.
      req?.unpipe();
      const order = req && unanswered.get(req);
      answerUnavailable(to as ServerResponse | Socket, error, order);
    });
  });
  const nameUpgrades = definePlugin((proxy) => {
    proxy.on("proxyReqWs", (request, req, socket) => {
      const order = unanswered.get(req);
      if (order === undefined) return;
      request.once("response", () => unanswered.delete(req));
      request.once("upgrade", () => unanswered.delete(req));
      nameAnswer(request, socket, order, stallMs);
    });
  });
  const passOn = definePlugin((proxy) => {
    proxy.on("proxyReq", (request, req, _res, options) => {
      options.buffer = req.pipe(gatherChunks());
      sendHead(request);
    });
    proxy.on("proxyRes", (answer, req, res) => passAnswerOn(answer, req, res, stallMs));
  });
  // The first keeps a socket's error from ending the process.
  const plugins = [debugProxyErrorsPlugin, answerErrors];
  const web = createProxyMiddleware({
    target,
    agent,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [...plugins, passOn],
  });
  const upgrade = createProxyMiddleware({
    target,
    agent,
    ejectPlugins: true,
    plugins: [...plugins, nameUpgrades],
  });
  return {
    web(req, res, caller) {
      // The service speaks plain HTTP, whatever else the client offers.
      for (const name of offers) delete req.headers[name];
      forwardCaller(req.headers, caller, peerAuth);
      void web(req, res);
    },
    upgrade(req, socket, head, order) {
      // What the client offers beside it is declined.
      req.headers.upgrade = "websocket";
      delete req.headers.trailer;
      forwardCaller(req.headers, order.caller, peerAuth);
      unanswered.set(req, order);
      upgrade.upgrade(req, socket, head);
    },
    close: () => agent.destroy(),
  };
}

/** What a client says of its own connection, and of trailers, which go no further than to us. */
const offers = ["connection", "upgrade", "http2-settings", "trailer"];
/** What means something on one connection alone. */
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** A service that is ending, or tired of waiting, goes by whether it has been asked. */
function sendHead(request: ClientRequest): void {
  try {
    request.flushHeaders();
  } catch (error) {
    // Nobody else would catch it here: one head that cannot be written would end the process.
    request.destroy(error as Error);
  }
}

function noteAlias(req: IncomingMessage, alias: string): void {
  exchangeOf(req).alias = alias;
}

function passAnswerOn(
  answer: IncomingMessage,
  req: IncomingMessage,
  res: ServerResponse,
  stallMs: number,
): void {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name === aliasHeader) noteAlias(req, String(value));
    else if (value !== undefined && !hopByHop.has(name)) res.setHeader(name, value);
  }
  res.statusCode = answer.statusCode ?? 502;
  // A client that takes nothing must not keep its service waiting for ever.
  answer.on("pause", () => limitStall(res, stallMs));
  res.on("drain", () => limitStall(res, 0));
  answer.pipe(res, { end: false });
  answer.once("end", () => {
    endAfterRequest(req, res);
    limitFinalStall(res, stallMs);
  });
}

/** Adds to the answer of an upgrade, and ends the client's connection with the service's. */
function nameAnswer(
  request: ClientRequest,
  client: Socket,
  { headers, protocol, answered, signal }: UpgradeOrder,
  stallMs: number,
): void {
  request.once("response", (answer) => {
    answered(answer.statusCode ?? 502);
    Object.assign(answer.headers, headers);
    answer.once("end", () => letGo(client, stallMs));
  });
  request.once("upgrade", (answer, service) => {
    answered(101);
    Object.assign(answer.headers, headers);
    if (protocol !== undefined) answer.headers["sec-websocket-protocol"] ??= protocol;
    const frames = watchFrames();
    service.on("data", frames.push);
    // A stream is never just dropped: where its service ends without a close frame, this says why.
    const tell = (message: object, code: number) => {
      if (frames.isOpen && client.writable) client.end(lastFrames(message, code));
    };
    const tellBreak = () => tell(brokenStream(), closeCodes.internalError);
    const endEarly = () => {
      const { error } = envelope(signal.reason as GatewayError);
      tell({ error: { ...error, retryable: false } }, closeCodes.policyViolation);
      service.destroy();
    };
    signal.addEventListener("abort", endEarly, { once: true });
    // The head of the answer goes out first.
    if (signal.aborted) process.nextTick(endEarly);
    service.once("end", tellBreak);
    service.once("error", tellBreak);
    service.once("close", () => {
      signal.removeEventListener("abort", endEarly);
      letGo(client, stallMs);
    });
  });
}

/** Ends a client's connection behind its service's: nobody reads any more what it says there. */
function letGo(client: Socket, stallMs: number): void {
  client.setTimeout(stallMs, () => client.destroy());
  // What it was piped to is gone, and would stop it once more when it is told so.
  client.unpipe();
  client.resume();
  client.end();
}

function answerUnavailable(
  to: ServerResponse | Socket,
  cause: Error,
  order: UpgradeOrder | undefined,
): void {
  if (!("setHeader" in to)) {
    // What was upgraded speaks no HTTP any more, and was told already.
    if (order === undefined) return void to.end();
    // An upgrade is refused before its model is known, and with it its providers.
    const failure = internalError(cause);
    order.answered(failure.status);
    sendErrorOnSocket(to, failure, order.headers);
  }
  // An answer that has begun ends with what it was proxied from: whole, or abruptly.
  else if (!to.headersSent) sendError(to, serviceUnavailable(cause));
}

/** The failure in the form of the live route's error frames. */
function brokenStream(): object {
  const { error } = envelope(serviceUnavailable());
  return { error: { ...error, retryable: true } };
}
