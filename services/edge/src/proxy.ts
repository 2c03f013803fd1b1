import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "@tollgate/kit/errors";
import type { HttpAddress } from "@tollgate/kit/http/address";
import { answerError, answerErrorOnSocket } from "@tollgate/kit/http/error-answer";
import { endAfterRequest } from "@tollgate/kit/http/linger";
import { gatherPieces } from "@tollgate/kit/http/pieces";
import { stampCaller } from "@tollgate/kit/http/stamped-caller";
import type { Log } from "@tollgate/kit/log";
import type { Trust } from "@tollgate/kit/trust";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { createProxyMiddleware, debugProxyErrorsPlugin, definePlugin } from "http-proxy-middleware";
import { createReplicaAgent } from "./replica-agent.ts";

/** The agent decides which replica a request goes to; this only has to be an address. */
const target = "http://service";

/** Hands requests to a service as they are, body untouched, in the name of their caller. */
export interface ServiceProxy {
  web(req: IncomingMessage, res: ServerResponse, caller: Caller): void;
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, caller: Caller): void;
  close(): void;
}

export function createServiceProxy(
  replicas: readonly HttpAddress[],
  trust: Trust,
  log: Log,
): ServiceProxy {
  const agent = createReplicaAgent(replicas);
  const answerErrors = definePlugin((proxy) => {
    proxy.on("error", (error, _req, to) => {
      if (to === undefined || to.destroyed) return;
      log.error({ reason: error.message }, "a service of the fleet did not answer");
      answerUnavailable(to as ServerResponse | Socket, error);
    });
  });
  const passOn = definePlugin((proxy) => {
    proxy.on("proxyReq", (_request, req, _res, options) => {
      options.buffer = req.pipe(gatherPieces());
    });
    proxy.on("proxyRes", (answer, req, res) => passAnswerOn(answer, req, res));
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
  const upgrade = createProxyMiddleware({ target, agent, ejectPlugins: true, plugins });
  return {
    web(req, res, caller) {
      stampCaller(req.headers, caller, trust);
      void web(req, res);
    },
    upgrade(req, socket, head, caller) {
      stampCaller(req.headers, caller, trust);
      upgrade.upgrade(req, socket, head);
    },
    close: () => agent.destroy(),
  };
}

/** What means something on one connection alone. */
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

function passAnswerOn(answer: IncomingMessage, req: IncomingMessage, res: ServerResponse): void {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !hopByHop.has(name)) res.setHeader(name, value);
  }
  res.statusCode = answer.statusCode ?? 502;
  answer.pipe(res, { end: false });
  answer.once("end", () => endAfterRequest(req, res));
}

function answerUnavailable(to: ServerResponse | Socket, cause: Error): void {
  const message = "A part of the gateway cannot be reached now. Retry in a moment.";
  const failure = new GatewayError("no_provider_available", message, { cause });
  if (!("setHeader" in to)) answerErrorOnSocket(to, failure, {});
  // An answer that has begun ends with what it was proxied from: whole, or abruptly.
  else if (!to.headersSent) answerError(to, failure);
}
