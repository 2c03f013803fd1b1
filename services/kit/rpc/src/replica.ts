import type { DescMethod, Message } from "@bufbuild/protobuf";
import { Client, connectivityState, Metadata } from "@grpc/grpc-js";
import { operatorSecretHeader, type PeerAuth, secretHeader } from "@tollgate/core/peer-auth";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { throwIfCancelled } from "./cancellation.ts";
import { type EncodedMessage, encodeMessage, inOnePart } from "./encoded-message.ts";
import { grpcStream, grpcUnary } from "./grpc-call.ts";
import { healthCheckTimeoutMs, startHealthCheck } from "./health-check.ts";
import type { CallOptions } from "./implementation.ts";
import { muxStream, muxUnary } from "./mux/mux-call.ts";
import { type MuxClient, type MuxEnd, openMux } from "./mux/mux-client.ts";
import type { ResponseStream } from "./response-stream.ts";
import type { PeerChannel } from "./tls/peer-channel.ts";

/** A larger request is sent as a gRPC call of its own, so that no other call waits behind it. */
const maxMuxRequestBytes = 256 * 1024;
/** How long a replica that does not serve the mux is called without it. */
const withoutMuxMs = 30_000;
/**
 * How long a drained replica gets no calls if its connection stays open: a proxy between us and it
 * may hold that open.
 */
const drainingMs = 30_000;

/** One replica of a peer, and the connection to it. */
export interface Replica {
  /** `leaving`: ready, but about to drain. `draining`: connected, but it begins no new calls. */
  state(): "ready" | "leaving" | "connecting" | "failing" | "draining";
  /** Returns whether it is connected but fails its health check. */
  isUnresponsive(): boolean;
  /** Resolves when the connection changes its state, at the time `untilMs` at the latest. */
  changed(untilMs: number): Promise<void>;
  unary(method: DescMethod, request: Message, options: CallOptions): Promise<Message>;
  stream(method: DescMethod, request: Message, options: CallOptions): ResponseStream;
  /** Closes the connection once no call is in progress. */
  retire(): void;
  /** Closes the connection. Calls in progress run to their ends. */
  close(): void;
}

/** The mux that the calls to a replica share. `unsupported`: the replica serves none. */
type SharedMux =
  | { kind: "none" }
  | { kind: "open"; mux: MuxClient }
  | { kind: "unsupported"; untilMs: number };

/**
 * Creates the client of one replica at `target`, in gRPC's notation. Its calls share a mux, which
 * is opened with the first call and again after it has ended. Health checks never use the mux.
 *
 * Longer than 70 lines: its functions share the state of one connection.
 */
export function createReplica(target: string, peerAuth: PeerAuth, channel: PeerChannel): Replica {
  const client = new Client(target, channel.credentials, channel.options);
  const metadata = secretsOf(peerAuth);
  let shared: SharedMux = { kind: "none" };
  const drainMark = createDrainMark(client);
  const health = startHealthCheck(() => checkHealth(client, metadata));
  let inProgress = 0;
  let isRetired = false;

  /** Returns undefined for a call that is made as a gRPC call of its own. */
  function muxFor({ parent }: DescMethod, request: EncodedMessage): MuxClient | undefined {
    if (request.byteLength > maxMuxRequestBytes || parent.typeName === Health.typeName) {
      return undefined;
    }
    if (shared.kind === "open") return shared.mux;
    if (shared.kind === "unsupported" && performance.now() < shared.untilMs) return undefined;
    const mux = openMux(client, metadata.clone(), endMux);
    shared = { kind: "open", mux };
    return mux;
  }

  function endMux(reason: MuxEnd): void {
    const isServed = reason !== "unsupported";
    shared = isServed
      ? { kind: "none" }
      : { kind: "unsupported", untilMs: performance.now() + withoutMuxMs };
    if (reason === "drained") drainMark.set();
  }

  function enter(): void {
    inProgress += 1;
    health.noteCall();
  }

  function leave(): void {
    inProgress -= 1;
    closeIfDone();
  }

  function closeIfDone(): void {
    if (isRetired && inProgress === 0) close();
  }

  function close(): void {
    health.stop();
    if (shared.kind === "open") shared.mux.close();
    client.close();
  }

  return {
    state: () => stateOf(client, shared, drainMark.isSet),
    isUnresponsive: health.isUnresponsive,
    changed(untilMs) {
      const channel = client.getChannel();
      const before = channel.getConnectivityState(true);
      return new Promise((resolve) => {
        channel.watchConnectivityState(before, untilMs, () => resolve());
      });
    },
    async unary(method, request, options) {
      throwIfCancelled(options);
      const encoded = encodeMessage(method.input, request);
      enter();
      try {
        const mux = muxFor(method, encoded);
        return await (mux === undefined
          ? grpcUnary(client, metadata, method, inOnePart(encoded), options)
          : muxUnary(mux, method, encoded, options));
      } finally {
        leave();
      }
    },
    stream(method, request, options) {
      throwIfCancelled(options);
      const encoded = encodeMessage(method.input, request);
      enter();
      const mux = muxFor(method, encoded);
      const stream =
        mux === undefined
          ? grpcStream(client, metadata, method, inOnePart(encoded), options)
          : muxStream(mux, method, encoded, options);
      return {
        next: stream.next,
        close() {
          stream.close();
          leave();
        },
      };
    },
    retire() {
      isRetired = true;
      closeIfDone();
    },
    close,
  };
}

function secretsOf({ secret, operatorSecret }: PeerAuth): Metadata {
  const metadata = new Metadata();
  if (secret !== undefined) metadata.set(secretHeader, secret);
  if (operatorSecret !== undefined) metadata.set(operatorSecretHeader, operatorSecret);
  return metadata;
}

function checkHealth(client: Client, metadata: Metadata): Promise<Message> {
  const emptyRequest = new Uint8Array();
  const options = { timeoutMs: healthCheckTimeoutMs };
  return grpcUnary(client, metadata, Health.method.check, emptyRequest, options);
}

/**
 * Marks a replica as draining after its mux has ended: its connection is about to close, and a call
 * sent on it may be lost.
 */
function createDrainMark(client: Client) {
  let until = 0;
  return {
    isSet: () => performance.now() < until,
    /** Sets the mark until the connection changes its state, for `drainingMs` at most. */
    set() {
      const channel = client.getChannel();
      if (channel.getConnectivityState(false) !== connectivityState.READY) return;
      until = performance.now() + drainingMs;
      channel.watchConnectivityState(connectivityState.READY, Number.POSITIVE_INFINITY, () => {
        until = 0;
      });
    },
  };
}

/** Returns the state of a replica. Connects to one without a mux if its connection is idle. */
function stateOf(client: Client, shared: SharedMux, isDrained: () => boolean) {
  const muxState = shared.kind === "open" ? shared.mux.state() : undefined;
  if (muxState !== undefined && muxState !== "open" && muxState !== "leaving") return "draining";
  const connection = client.getChannel().getConnectivityState(muxState === undefined);
  const state = connectionStates[connection];
  if (state !== "ready") return state;
  if (isDrained()) return "draining";
  return muxState === "leaving" ? "leaving" : "ready";
}

const connectionStates = {
  [connectivityState.READY]: "ready",
  [connectivityState.IDLE]: "connecting",
  [connectivityState.CONNECTING]: "connecting",
  [connectivityState.TRANSIENT_FAILURE]: "failing",
  [connectivityState.SHUTDOWN]: "failing",
} as const;
