import { envelope, GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { brokenStream } from "@tollgate/generation/engine";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { toGatewayError, writeErrorOnSocket } from "@tollgate/http/error-response";
import type { AcceptUpgrade } from "@tollgate/http/proxied-request";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { ServiceContext } from "@tollgate/runtime/service";
import { SlotFailure } from "@tollgate/upstream/failure";
import { WebSocketServer } from "ws";
import { LiveSocket, maxFrameBytes } from "./live-socket.ts";
import { serveSession } from "./session.ts";

const normalClosure = 1_000;
/** The stream did not end, but this replica of the service does: connect again. */
const goingAway = 1_001;
/** The part of a stopping process's grace that streams have to end by themselves. */
const toldAfter = 0.2;
const policyViolation = 1_008;
const internalError = 1_011;

export interface LiveServer {
  /** Takes an upgrade that the edge has authenticated, and serves it to its end. */
  accept: AcceptUpgrade;
}

/** Serves GET /v1/audio/transcriptions/stream. */
export function createLiveServer(
  runtime: ProviderRuntime,
  { log, metrics, shutdown }: Pick<ServiceContext, "log" | "metrics" | "shutdown">,
): LiveServer {
  const live = new Set<LiveSocket>();
  const told = new AbortController();
  const server = new WebSocketServer<typeof LiveSocket>({
    noServer: true,
    WebSocket: LiveSocket,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });

  server.on("wsClientError", ({ message }, socket) => {
    // The error has no code: only its text, which is what the client is told, names the header.
    const [param] = /Sec-WebSocket-\w+/.exec(message) ?? [];
    const refusal = new GatewayError("invalid_param", `${message}.`, { param });
    writeErrorOnSocket(socket, refusal, { "sec-websocket-version": "13" });
  });

  async function serve(client: LiveSocket, caller: Caller): Promise<void> {
    client.open();
    live.add(client);
    metrics.openSockets.inc();
    try {
      await serveSession(runtime, caller, client, told.signal);
      client.finish(told.signal.aborted ? goingAway : normalClosure);
    } catch (error) {
      if (client.gone.aborted) return;
      const failure = failureOf(error, log);
      await client.sendJson(errorFrame(failure));
      client.finish(failure.status < 500 ? policyViolation : internalError);
    } finally {
      live.delete(client);
      metrics.openSockets.dec();
    }
  }

  /** Most streams end by themselves in time. The audio of the others is ended, and drained. */
  function tellAll(): void {
    told.abort();
    for (const client of live) client.endFrames();
  }
  shutdown.signal.addEventListener("abort", () => {
    setTimeout(tellAll, shutdown.graceMs * toldAfter).unref();
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

/** A failure as a frame: the envelope, and whether another try makes sense. */
function errorFrame(failure: GatewayError): object {
  const { error } = envelope(failure);
  const retryable = failure.status === 429 || failure.status >= 500;
  return { error: { ...error, retryable } };
}
