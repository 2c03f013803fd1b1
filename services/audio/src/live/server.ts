import { envelope, type GatewayError, invalidParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { brokenStream } from "@tollgate/generation/broken-stream";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { toGatewayError, writeErrorOnSocket } from "@tollgate/http/error-response";
import { headerOfError } from "@tollgate/http/forwarded-error";
import type { AcceptUpgrade } from "@tollgate/http/proxied-request";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { ServiceContext } from "@tollgate/runtime/service";
import { SlotFailure } from "@tollgate/upstream/failure";
import { WebSocketServer } from "ws";
import { ClientSocket, maxFrameBytes } from "./client-socket.ts";
import { serveSession } from "./session.ts";

/** Close codes of RFC 6455, 7.4.1. */
const normalClosure = 1_000;
/** The stream is ended because the process shuts down. The client can connect again. */
const goingAway = 1_001;
const policyViolation = 1_008;
const internalError = 1_011;

/** The share of the shutdown's grace period in which streams may end by themselves. */
const untouchedShare = 0.2;

export interface LiveServer {
  /** Accepts an upgrade that the edge has authenticated, and serves it to its end. */
  accept: AcceptUpgrade;
}

/** What the headers of a handshake must be. */
const handshakeRules: Readonly<Record<string, string>> = {
  "Sec-WebSocket-Key": "must be 16 bytes in base64",
  "Sec-WebSocket-Version": "must be 13",
  "Sec-WebSocket-Protocol": "must be a list of sub-protocols, each of them once",
  "Sec-WebSocket-Extensions": "must be a list of extensions",
};

/** Creates the WebSocket server of GET /v1/audio/transcriptions/stream. */
export function createLiveServer(
  runtime: ProviderRuntime,
  { log, metrics, shutdown }: Pick<ServiceContext, "log" | "metrics" | "shutdown">,
  graceEnded: AbortSignal,
): LiveServer {
  const clients = new Set<ClientSocket>();
  const ending = new AbortController();
  const server = new WebSocketServer<typeof ClientSocket>({
    noServer: true,
    WebSocket: ClientSocket,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });

  server.on("wsClientError", ({ message }, socket) => {
    // The error has no code. Only its message names the header.
    const [header = "Upgrade"] = /Sec-WebSocket-\w+/.exec(message) ?? [];
    const refusal = invalidParam(header, handshakeRules[header] ?? "must be websocket");
    const headers = { "sec-websocket-version": "13", ...headerOfError(refusal) };
    writeErrorOnSocket(socket, refusal, headers);
  });

  async function serve(client: ClientSocket, caller: Caller): Promise<void> {
    client.startReading();
    clients.add(client);
    metrics.openSockets.inc();
    try {
      await serveSession(runtime, caller, client, { ending: ending.signal, graceEnded });
      client.finish(ending.signal.aborted ? goingAway : normalClosure);
    } catch (error) {
      if (client.disconnected.aborted) return;
      const failure = failureOf(error, log);
      await client.sendJson(errorFrame(failure));
      client.finish(failure.status < 500 ? policyViolation : internalError);
    } finally {
      clients.delete(client);
      metrics.openSockets.dec();
    }
  }

  /** Ends the audio of all clients. Their last events are still sent. */
  function endStreams(): void {
    ending.abort();
    for (const client of clients) client.endFrames();
  }
  shutdown.signal.addEventListener("abort", () => {
    setTimeout(endStreams, shutdown.graceMs * untouchedShare).unref();
  });

  return {
    accept(req, socket, head, caller) {
      server.handleUpgrade(req, socket, head, (client) => void serve(client, caller));
    },
  };
}

function failureOf(error: unknown, log: Log): GatewayError {
  return error instanceof SlotFailure ? brokenStream() : toGatewayError(error, log);
}

/** Returns the error envelope of a failure, and whether the client should retry. */
function errorFrame(failure: GatewayError): object {
  const { error } = envelope(failure);
  const retryable = failure.status === 429 || failure.status >= 500;
  return { error: { ...error, retryable } };
}
