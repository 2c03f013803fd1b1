import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { endsByGateway } from "@tollgate/core/cancellation";
import { envelope, GatewayError, internalError, serviceUnavailable } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "@tollgate/http/address";
import { sendDeparture } from "@tollgate/http/departure";
import { logPeerFailure, writeError, writeErrorOnSocket } from "@tollgate/http/error-response";
import { aliasHeader, forwardCaller } from "@tollgate/http/forwarded-caller";
import { errorHeader, readErrorHeader } from "@tollgate/http/forwarded-error";
import { gatherChunks } from "@tollgate/http/gather-chunks";
import { endAfterRequest } from "@tollgate/http/linger";
import { limitFinalStall, limitStall, maxStallMs } from "@tollgate/http/stall";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { createProxyMiddleware, debugProxyErrorsPlugin, definePlugin } from "http-proxy-middleware";
import { findRequestContext, requestContextOf } from "../http/request-context.ts";
import { createReplicaAgent } from "./replica-agent.ts";
import { streamRefusal } from "./stream-refusal.ts";
import { closeCodes, closingFrames, createFrameTracker } from "./websocket-frames.ts";

/** The proxy requires an address. The agent chooses the replica that it connects to. */
const target = "http://service";

/**
 * Forwards requests to a service unchanged. Adds headers with their caller, which the fleet's
 * secret authenticates.
 */
export interface ServiceProxy {
  /**
   * A stream of server-sent events ends when `signal` aborts with a GatewayError, which is sent as its
   * last event. Other responses are not ended.
   */
  web(req: IncomingMessage, res: ServerResponse, caller: Caller, signal: AbortSignal): void;
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, options: UpgradeOptions): void;
  close(): void;
}

export interface UpgradeOptions {
  caller: Caller;
  /** Headers added to the response, whether the upgrade is accepted or rejected. */
  headers: Readonly<Record<string, string>>;
  /** The sub-protocol of an accepted upgrade for which the service chooses none. */
  protocol: string | undefined;
  /**
   * Called with the status of the response, 101 if the service accepts the upgrade, and its error. Called again
   * where the service refuses the stream by its first message.
   */
  responded(status: number, failure?: GatewayError): void;
  /** Ends the stream when it aborts. Its reason, a GatewayError, is sent to the client. */
  signal: AbortSignal;
}

/** Creates the proxy to a service. A client that reads nothing for `stallMs` is disconnected. */
export function createServiceProxy(
  replicas: readonly HttpAddress[],
  peerAuth: PeerAuth,
  log: Log,
  stallMs = maxStallMs,
): ServiceProxy {
  const agent = createReplicaAgent(replicas);
  /** Upgrades without a response yet. An error can still be written to their connections. */
  const pendingUpgrades = new WeakMap<IncomingMessage, UpgradeOptions>();
  const calls = new WeakMap<IncomingMessage, ForwardedCall>();
  const handleErrors = definePlugin((proxy) => {
    proxy.on("error", (error, req, to) => {
      if (to === undefined || to.destroyed) return;
      logPeerFailure(error, log);
      // The body must still be read, and the closed service connection does not read it.
      req?.unpipe();
      const options = req && pendingUpgrades.get(req);
      sendUnavailable(to as ServerResponse | Socket, error, { req, upgrade: options });
    });
  });
  const forwardUpgrade = definePlugin((proxy) => {
    proxy.on("proxyReqWs", (request, req, socket) => {
      const options = pendingUpgrades.get(req);
      if (options === undefined) return;
      request.once("response", () => pendingUpgrades.delete(req));
      request.once("upgrade", () => pendingUpgrades.delete(req));
      forwardUpgradeResponse(request, socket, options, stallMs);
    });
  });
  // The debug plugin keeps a socket's error from ending the process.
  const plugins = [debugProxyErrorsPlugin, handleErrors];
  const web = createProxyMiddleware({
    target,
    agent,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [...plugins, forwardRequests(calls, stallMs)],
  });
  const upgrade = createProxyMiddleware({
    target,
    agent,
    ejectPlugins: true,
    plugins: [...plugins, forwardUpgrade],
  });
  return {
    web(req, res, caller, signal) {
      const call: ForwardedCall = { signal, request: undefined };
      calls.set(req, call);
      // Before the proxy, which closes the service's connection then.
      res.once("close", () => announceDeparture(call, res));
      // The service speaks plain HTTP, whatever else the client offers.
      for (const name of connectionOffers) delete req.headers[name];
      forwardCaller(req.headers, caller, peerAuth);
      void web(req, res);
    },
    upgrade(req, socket, head, options) {
      // Any other protocol that the client offers is declined.
      req.headers.upgrade = "websocket";
      delete req.headers.trailer;
      forwardCaller(req.headers, options.caller, peerAuth);
      pendingUpgrades.set(req, options);
      upgrade.upgrade(req, socket, head);
    },
    close: () => agent.destroy(),
  };
}

function forwardRequests(calls: WeakMap<IncomingMessage, ForwardedCall>, stallMs: number) {
  return definePlugin((proxy) => {
    proxy.on("proxyReq", (request, req, _res, options) => {
      options.buffer = req.pipe(gatherChunks());
      const call = calls.get(req);
      if (call !== undefined) call.request = request;
      sendHead(request);
    });
    proxy.on("proxyRes", (response, req, res) => {
      forwardResponse(response, req, res, stallMs);
      const call = calls.get(req);
      if (call !== undefined && isEventStream(response))
        endEventsBy(call.signal, response, res, stallMs);
    });
  });
}

/** Request headers about the client's own connection and about trailers. They are not forwarded. */
const connectionOffers = ["connection", "upgrade", "http2-settings", "trailer"];
/** Response headers about the service's connection. */
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** A request that is forwarded to a service. */
interface ForwardedCall {
  readonly signal: AbortSignal;
  /** The request to the service, once it has a connection. */
  request: ClientRequest | undefined;
}

/**
 * Sends the head at once: a service's shutdown and timeouts depend on whether it has requests. Keeps the
 * connection open after the request, because `announceDeparture` may write to it. The agent closes it.
 */
function sendHead(request: ClientRequest): void {
  try {
    request.setHeader("connection", "keep-alive");
    request.flushHeaders();
  } catch (error) {
    // The proxy does not catch this: a head that cannot be written would end the process.
    request.destroy(error as Error);
  }
}

/**
 * Reports to the service that the client left, if it did. A service that has not received the complete body
 * has not called a provider, and gets no report.
 */
function announceDeparture({ signal, request }: ForwardedCall, res: ServerResponse): void {
  const { socket } = request ?? {};
  if (res.writableFinished || endsByGateway(signal) || !socket?.writable) return;
  if (request?.writableEnded) sendDeparture(socket);
}

function forwardResponse(
  response: IncomingMessage,
  req: IncomingMessage,
  res: ServerResponse,
  stallMs: number,
): void {
  for (const [name, value] of Object.entries(response.headers)) {
    if (name === aliasHeader) requestContextOf(req).alias = String(value);
    else if (name === errorHeader) recordFailure(req, readErrorHeader(String(value)));
    else if (value !== undefined && !hopByHop.has(name)) res.setHeader(name, value);
  }
  res.statusCode = response.statusCode ?? 502;
  // A client that reads nothing must not block the service for ever.
  response.on("pause", () => limitStall(res, stallMs));
  res.on("drain", () => limitStall(res, 0));
  response.pipe(res, { end: false });
  response.once("end", () => {
    endAfterRequest(req, res);
    limitFinalStall(res, stallMs);
  });
}

/** Stores the error of a response in its request context, which logs and records it when the response ends. */
function recordFailure(req: IncomingMessage | undefined, failure: GatewayError | undefined): void {
  const context = req && findRequestContext(req);
  if (context !== undefined && failure !== undefined) context.failure = failure;
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

/** Ends the events with the error that the signal aborts with. The service sees a disconnect. */
function endEventsBy(
  signal: AbortSignal,
  response: IncomingMessage,
  res: ServerResponse,
  stallMs: number,
): void {
  const end = () => {
    if (!(signal.reason instanceof GatewayError) || res.writableEnded) return;
    response.unpipe(res);
    response.destroy();
    res.end(`data: ${JSON.stringify(envelope(signal.reason))}\n\n`);
    limitFinalStall(res, stallMs);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
}

/**
 * Adds headers to the response to an upgrade, and closes the client's connection when the service
 * closes its own.
 */
function forwardUpgradeResponse(
  request: ClientRequest,
  client: Socket,
  { headers, protocol, responded, signal }: UpgradeOptions,
  stallMs: number,
): void {
  request.once("response", (response) => {
    const header = response.headers[errorHeader];
    const failure = header === undefined ? undefined : readErrorHeader(String(header));
    delete response.headers[errorHeader];
    responded(response.statusCode ?? 502, failure);
    Object.assign(response.headers, headers);
    response.once("end", () => closeClient(client, stallMs));
  });
  request.once("upgrade", (response, service) => {
    responded(101);
    Object.assign(response.headers, headers);
    if (protocol !== undefined) response.headers["sec-websocket-protocol"] ??= protocol;
    const frames = createFrameTracker((text) => {
      const refusal = streamRefusal(text);
      if (refusal !== undefined) responded(101, refusal);
    });
    service.on("data", frames.push);
    // If the service ends without a close frame, an error frame names the reason.
    const closeWith = (message: object, code: number) => {
      if (frames.isOpen() && client.writable) client.end(closingFrames(message, code));
    };
    const closeBroken = () => closeWith(brokenStream(), closeCodes.internalError);
    const closeEarly = () => {
      const { error } = envelope(signal.reason as GatewayError);
      closeWith({ error: { ...error, retryable: false } }, closeCodes.policyViolation);
      service.destroy();
    };
    const closeStalled = () => {
      client.destroy();
      service.destroy();
    };
    // The pipe pauses the service until the client reads. A paused service is not seen to close.
    service.on("pause", () => client.setTimeout(stallMs));
    client.on("drain", () => client.setTimeout(0));
    client.once("timeout", closeStalled);
    signal.addEventListener("abort", closeEarly, { once: true });
    // The head of the response is written first.
    if (signal.aborted) process.nextTick(closeEarly);
    service.once("end", closeBroken);
    service.once("error", closeBroken);
    service.once("close", () => {
      signal.removeEventListener("abort", closeEarly);
      closeClient(client, stallMs);
    });
  });
}

/**
 * Closes a client's connection after the service's. What the client still sends is discarded. A
 * client that has not closed its own side after `graceMs` is disconnected.
 */
function closeClient(client: Socket, graceMs: number): void {
  const grace = setTimeout(() => client.destroy(), graceMs);
  client.once("close", () => clearTimeout(grace));
  // The closed service connection would pause the client when it is written to.
  client.unpipe();
  client.resume();
  client.end();
}

function sendUnavailable(
  to: ServerResponse | Socket,
  cause: Error,
  { req, upgrade }: { req: IncomingMessage | undefined; upgrade: UpgradeOptions | undefined },
): void {
  if (!("setHeader" in to)) {
    // After the upgrade the connection carries frames, and the error frame was sent already.
    if (upgrade === undefined) return void to.end();
    // Before the upgrade the model is unknown, so this is not about its providers.
    const failure = internalError(cause);
    upgrade.responded(failure.status, failure);
    writeErrorOnSocket(to, failure, upgrade.headers);
  }
  // A response that has started ends, or breaks off, with the service's response.
  else if (!to.headersSent) {
    const failure = serviceUnavailable(cause);
    recordFailure(req, failure);
    writeError(to, failure);
  }
}

/** Returns the failure as an error frame of the live transcription route. */
function brokenStream(): object {
  const { error } = envelope(serviceUnavailable());
  return { error: { ...error, retryable: true } };
}
