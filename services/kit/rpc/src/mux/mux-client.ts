import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import {
  type MuxResponse,
  type OpenSchema,
  RequestFrameSchema,
  type ResponseFrame,
} from "@tollgate/proto/tollgate/v1/mux";
import type { EncodedMessage } from "../encoded-message.ts";
import { fromEnd } from "../error-detail.ts";
import { fromStatus } from "../grpc-status.ts";
import { createFrameBatch } from "./frame-batch.ts";
import { muxMethod, windowBytes, windowCost } from "./mux.ts";

/** The client's end of a mux to one replica. */
export interface MuxClient {
  start(
    open: MessageInitShape<typeof OpenSchema>,
    request: EncodedMessage,
    listener: ResponseListener,
  ): MuxCall;
  state(): MuxState;
  /** Starts no more calls, and ends the stream once those in progress have ended. */
  close(): void;
}

/**
 * Calls may be started while the mux is `open`, and while it is `leaving`: the replica has announced
 * that it will drain soon. From `draining` on, which the replica has announced, or `closing`, those in
 * progress run to their ends.
 */
export type MuxState = "open" | "leaving" | "draining" | "closing" | "ended";

/** Receives the response to a call. */
export interface ResponseListener {
  /** The reader of a stream grants `credit` back once it has read the message. */
  onMessage(bytes: Uint8Array, credit: number): void;
  /** Called once, after the last message, unless the call was cancelled. */
  onEnd(error: Error | undefined): void;
}

/** A call in progress. */
export interface MuxCall {
  /** Lets the server send this many more bytes. */
  grant(credit: number): void;
  /**
   * Cancels the call, because the caller left or because its process cannot wait. Its listener is not
   * called again.
   */
  cancel(hasLeft: boolean): void;
  /** Does the same without a frame, for a call that the server ends by itself. */
  drop(): void;
}

/** Credit is granted in steps: a frame for every message would cost as much as the message. */
const minGrantBytes = windowBytes / 4;

type Body = NonNullable<MessageInitShape<typeof RequestFrameSchema>["body"]>;

interface PendingCall {
  listener: ResponseListener;
  /** The chunks so far of a message that is incomplete. */
  chunks: Uint8Array[];
  grant(credit: number): void;
}

/**
 * Why a mux ended: its connection was `lost`, the replica has `drained`, or the replica does not
 * serve the mux and the method is `unsupported`.
 */
export type MuxEnd = "lost" | "drained" | "unsupported";

/**
 * Opens a mux on the connection of `client`. Calls `onEnd` once when it has ended.
 *
 * Longer than 70 lines: its functions share the state of one connection.
 */
export function openMux(
  client: Client,
  metadata: Metadata,
  onEnd: (reason: MuxEnd) => void,
): MuxClient {
  const { path, requestSerialize, responseDeserialize } = muxMethod;
  const stream = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    metadata,
  );
  const calls = new Map<number, PendingCall>();
  const outgoing = createFrameBatch(RequestFrameSchema, (batch) => {
    if (state !== "ended") stream.write(batch);
  });
  let lastCall = 0;
  let state: MuxState = "open";

  /** The stream is not half-closed before: calls in progress still send credit and cancels. */
  function endIfDone(): void {
    if (state !== "closing" || calls.size > 0) return;
    outgoing.flush();
    stream.cancel();
  }

  function end(error: Error, reason: MuxEnd): void {
    if (state === "ended") return;
    state = "ended";
    onEnd(reason);
    for (const { listener } of calls.values()) listener.onEnd(error);
    calls.clear();
  }

  /** A replica that is leaving drains later. */
  function announced(next: "leaving" | "draining"): void {
    if (state === "open" || (state === "leaving" && next === "draining")) state = next;
  }

  function receive(frame: ResponseFrame): void {
    if (frame.call === 0) announced(frame.leaving ? "leaving" : "draining");
    const call = calls.get(frame.call);
    if (call === undefined) return;
    if (frame.payload !== undefined) receiveChunk(call, frame.payload, frame.more);
    if (frame.end === undefined) return;
    calls.delete(frame.call);
    call.listener.onEnd(fromEnd(frame.end));
    endIfDone();
  }

  stream.on("data", ({ frames }: MuxResponse) => frames.forEach(receive));
  stream.on("end", () => end(notBegun("the replica has drained"), "drained"));
  stream.on("error", (error: ServiceError) => {
    if (error.code === status.UNIMPLEMENTED) {
      return end(notBegun("the replica does not serve the mux"), "unsupported");
    }
    const failure = fromStatus(error);
    const isDraining = failure instanceof PeerError && failure.reason === "draining";
    end(failure, isDraining ? "drained" : "lost");
  });

  return {
    start(open, request, listener) {
      const call = nextCall();
      const send = (body: Body, payload?: EncodedMessage) => outgoing.add({ call, body }, payload);
      const grant = granter((credit) => send({ case: "credit", value: credit }));
      calls.set(call, { listener, chunks: [], grant });
      send({ case: "open", value: open }, request);
      return {
        grant,
        cancel(hasLeft) {
          if (calls.delete(call)) send({ case: "cancel", value: hasLeft });
          endIfDone();
        },
        drop() {
          calls.delete(call);
          endIfDone();
        },
      };
    },
    state: () => state,
    close() {
      if (state === "ended") return;
      state = "closing";
      endIfDone();
    },
  };

  function nextCall(): number {
    lastCall = (lastCall % 0xffff_ffff) + 1;
    return lastCall;
  }
}

function receiveChunk(call: PendingCall, chunk: Uint8Array, more: boolean): void {
  const { listener, chunks, grant } = call;
  if (more) {
    chunks.push(chunk);
    grant(windowCost(chunk));
    return;
  }
  const message = chunks.length === 0 ? chunk : Buffer.concat([...chunks, chunk]);
  chunks.length = 0;
  listener.onMessage(message, windowCost(chunk));
}

function granter(send: (credit: number) => void): (credit: number) => void {
  let owed = 0;
  return (credit) => {
    owed += credit;
    if (owed < minGrantBytes) return;
    send(owed);
    owed = 0;
  };
}

/** Returns the error of a call that was never begun: it is retried, here or on another replica. */
function notBegun(message: string): PeerError {
  return new PeerError("draining", message);
}
