import { type handleBidiStreamingCall, Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import {
  type MuxRequest,
  type RequestFrame,
  ResponseFrameSchema,
} from "@tollgate/proto/tollgate/v1/mux";
import type { CallGuard } from "../call-guard.ts";
import { toStatus } from "../grpc-status.ts";
import { createFrameBatch } from "./frame-batch.ts";
import { createIncomingCall, type IncomingCall, type MuxHandler } from "./mux-handlers.ts";

type Stream = ServerDuplexStream<MuxRequest, Buffer>;

/** The server's end of every mux that its clients have opened. */
export interface MuxServer {
  accept: handleBidiStreamingCall<MuxRequest, Buffer>;
  /** Signals all clients, present and future, to call other replicas if they can. */
  leave(): void;
  /** Announces to all clients that no more calls are begun. */
  refuseCalls(): void;
  /** Ends every mux. Calls still in progress fail with `unavailable`. */
  end(): void;
}

export function createMuxServer(handle: MuxHandler, guard: CallGuard): MuxServer {
  const open = new Set<OpenMux>();
  let isLeaving = false;
  return {
    accept(stream) {
      try {
        guard.admit();
      } catch (error) {
        stream.emit("error", toStatus(error as PeerError));
        return;
      }
      // Until the first response, a grpc-js client retains what it sent in order to resend it.
      stream.sendMetadata(new Metadata());
      const isOperator = guard.isOperator(stream.metadata);
      const mux = serveMux(stream, { handle, isOperator }, () => open.delete(mux));
      open.add(mux);
      if (isLeaving) mux.leave();
    },
    leave() {
      isLeaving = true;
      for (const mux of open) mux.leave();
    },
    refuseCalls() {
      for (const mux of open) mux.refuseCalls();
    },
    end() {
      for (const mux of open) mux.end();
    },
  };
}

type OpenMux = ReturnType<typeof serveMux>;

function serveMux(
  stream: Stream,
  { handle, isOperator }: { handle: MuxHandler; isOperator: boolean },
  onClosed: () => void,
) {
  const calls = new Map<number, IncomingCall>();
  /** `finishing`: the client starts no more calls. */
  let state: "open" | "finishing" | "closed" = "open";
  const outgoing = createFrameBatch(ResponseFrameSchema, (batch) => {
    if (state !== "closed") stream.write(batch);
  });

  function receive({ call: id, body, payload }: RequestFrame): void {
    switch (body.case) {
      case "open": {
        const call = createIncomingCall(id, outgoing.add);
        calls.set(id, call);
        void handle(body.value, payload, call, isOperator).finally(() => {
          calls.delete(id);
          endIfDone();
        });
        return;
      }
      case "credit":
        calls.get(id)?.grant(body.value);
        return;
      case "cancel":
        if (body.value) calls.get(id)?.leave();
        else calls.get(id)?.lose();
    }
  }

  function endIfDone(): void {
    if (state === "finishing" && calls.size === 0) end();
  }

  function cancelAll(): void {
    state = "closed";
    onClosed();
    for (const call of calls.values()) call.lose();
  }

  function end(): void {
    outgoing.flush();
    state = "closed";
    onClosed();
    if (calls.size === 0) stream.end();
    else stream.emit("error", toStatus(new PeerError("unavailable", "the replica stopped")));
  }

  stream.on("data", ({ frames }: MuxRequest) => frames.forEach(receive));
  stream.on("cancelled", cancelAll);
  stream.on("end", () => {
    if (state === "open") state = "finishing";
    endIfDone();
  });
  return {
    leave: () => outgoing.add({ call: 0, leaving: true }),
    refuseCalls: () => outgoing.add({ call: 0 }),
    end,
  };
}
