import { type handleBidiStreamingCall, Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import {
  AnswerFrameSchema,
  type CallerFrame,
  type TrunkRequest,
} from "@tollgate/proto/tollgate/v1/trunk";
import type { Gate } from "./call-guard.ts";
import { createFrameBatch } from "./frame-batch.ts";
import { toStatus } from "./grpc-status.ts";
import { type AnswerableCall, type Answerer, createAnswerableCall } from "./mux-response.ts";

type Stream = ServerDuplexStream<TrunkRequest, Buffer>;

/** The callee's ends of all trunks with it. */
export interface Trunks {
  handle: handleBidiStreamingCall<TrunkRequest, Buffer>;
  /** Tells the callers that no call is begun any more. */
  refuse(): void;
  /** Ends them; calls still under way fail. */
  end(): void;
}

export function createTrunks(answer: Answerer, gate: Gate): Trunks {
  const all = new Set<OpenTrunk>();
  return {
    handle(stream) {
      try {
        gate.admitCall();
      } catch (error) {
        stream.emit("error", toStatus(error as PeerError));
        return;
      }
      // grpc-js keeps what a caller sent, to send it again, until it has been answered something.
      stream.sendMetadata(new Metadata());
      const trunk = serveTrunk(stream, answer, () => all.delete(trunk));
      all.add(trunk);
    },
    refuse() {
      for (const trunk of all) trunk.refuse();
    },
    end() {
      for (const trunk of all) trunk.end();
    },
  };
}

type OpenTrunk = ReturnType<typeof serveTrunk>;

function serveTrunk(stream: Stream, answer: Answerer, onGone: () => void) {
  const calls = new Map<number, AnswerableCall>();
  let isOpen = true;
  let callerIsDone = false;
  const outgoing = createFrameBatch(AnswerFrameSchema, (batch) => {
    if (isOpen) stream.write(batch);
  });

  function receive({ call: id, body, payload }: CallerFrame): void {
    switch (body.case) {
      case "open": {
        const call = createAnswerableCall(id, outgoing.add);
        calls.set(id, call);
        void answer(body.value, payload, call).finally(() => {
          calls.delete(id);
          if (isOpen && callerIsDone && calls.size === 0) end();
        });
        return;
      }
      case "credit":
        calls.get(id)?.grant(body.value);
        return;
      case "cancel":
        calls.get(id)?.cancel();
    }
  }

  function gone(): void {
    isOpen = false;
    onGone();
    for (const call of calls.values()) call.cancel();
  }

  function end(): void {
    outgoing.flush();
    isOpen = false;
    onGone();
    if (calls.size === 0) stream.end();
    else stream.emit("error", toStatus(new PeerError("unavailable", "the replica ends")));
  }

  stream.on("data", ({ frames }: TrunkRequest) => frames.forEach(receive));
  stream.on("cancelled", gone);
  stream.on("end", () => {
    callerIsDone = true;
    if (isOpen && calls.size === 0) end();
  });
  return { refuse: () => outgoing.add({ call: 0 }), end };
}
