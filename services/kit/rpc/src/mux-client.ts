import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import {
  type AnswerFrame,
  CallerFrameSchema,
  type OpenSchema,
  type TrunkResponse,
} from "@tollgate/proto/tollgate/v1/trunk";
import { errorOfEnd } from "./error-detail.ts";
import { createFrameBatch } from "./frame-batch.ts";
import { fromStatus } from "./grpc-status.ts";
import { trunkMethod, weightOf, windowBytes } from "./mux.ts";

/** The caller's end of a stream that carries many calls to one replica. */
export interface Trunk {
  begin(open: MessageInitShape<typeof OpenSchema>, request: Uint8Array, answer: Answer): Call;
  /** Whether calls may be begun: not once the replica said that it takes no more. */
  isOpen(): boolean;
  /** Calls under way go on to their ends. */
  close(): void;
}

/** Who is told what comes of a call. */
export interface Answer {
  /** In a stream, `credit` is to be granted once the message has been read. */
  message(bytes: Uint8Array, credit: number): void;
  /** The last that it is told. */
  end(error: Error | undefined): void;
}

/** A call under way. */
export interface Call {
  /** Lets the callee send so much more. */
  grant(credit: number): void;
  /** The answer is told nothing more. */
  cancel(): void;
}

/** Given back in lumps: a frame for every message would cost as much as the message. */
const leastGrant = windowBytes / 4;

type Body = NonNullable<MessageInitShape<typeof CallerFrameSchema>["body"]>;

interface Waiting {
  answer: Answer;
  pieces: Uint8Array[];
  grant(credit: number): void;
}

/**
 * How a trunk ended: its connection was `lost`, the replica `left` since it takes no more calls,
 * or it knows no trunks and is `plain`.
 */
export type TrunkEnd = "lost" | "left" | "plain";

/** Opens one. `onEnd` is called when it has ended. */
export function openTrunk(client: Client, shown: Metadata, onEnd: (how: TrunkEnd) => void): Trunk {
  const { path, requestSerialize, responseDeserialize } = trunkMethod;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, shown);
  const calls = new Map<number, Waiting>();
  const outgoing = createFrameBatch(CallerFrameSchema, (batch) => {
    if (!hasEnded) stream.write(batch);
  });
  let lastCall = 0;
  let takesCalls = true;
  let hasEnded = false;
  let isClosing = false;

  /** Not half-closed before: calls under way still send credit and cancels. */
  function endIfDone(): void {
    if (!isClosing || hasEnded || calls.size > 0) return;
    outgoing.flush();
    stream.cancel();
  }

  function end(error: Error, how: TrunkEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    takesCalls = false;
    onEnd(how);
    for (const { answer } of calls.values()) answer.end(error);
    calls.clear();
  }

  function receive(frame: AnswerFrame): void {
    if (frame.call === 0) takesCalls = false;
    const call = calls.get(frame.call);
    if (call === undefined) return;
    if (frame.payload !== undefined) takePiece(call, frame.payload, frame.more);
    if (frame.end === undefined) return;
    calls.delete(frame.call);
    call.answer.end(errorOfEnd(frame.end));
    endIfDone();
  }

  stream.on("data", ({ frames }: TrunkResponse) => frames.forEach(receive));
  stream.on("end", () => end(notBegun("the replica has ended"), "left"));
  stream.on("error", (error: ServiceError) => {
    if (error.code === status.UNIMPLEMENTED) {
      return end(notBegun("the replica knows plain calls alone"), "plain");
    }
    const failure = fromStatus(error);
    const isLeaving = failure instanceof PeerError && failure.reason === "draining";
    end(failure, isLeaving ? "left" : "lost");
  });

  return {
    begin(open, request, answer) {
      const call = nextCall();
      const send = (body: Body, payload?: Uint8Array) => outgoing.add({ call, body }, payload);
      const grant = granter((credit) => send({ case: "credit", value: credit }));
      calls.set(call, { answer, pieces: [], grant });
      send({ case: "open", value: open }, request);
      return {
        grant,
        cancel() {
          if (calls.delete(call)) send({ case: "cancel", value: true });
          endIfDone();
        },
      };
    },
    isOpen: () => takesCalls,
    close() {
      takesCalls = false;
      isClosing = true;
      endIfDone();
    },
  };

  function nextCall(): number {
    lastCall = (lastCall % 0xffff_ffff) + 1;
    return lastCall;
  }
}

function takePiece({ answer, pieces, grant }: Waiting, piece: Uint8Array, more: boolean): void {
  if (more) {
    pieces.push(piece);
    grant(weightOf(piece));
    return;
  }
  const message = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
  pieces.length = 0;
  answer.message(message, weightOf(piece));
}

function granter(send: (credit: number) => void): (credit: number) => void {
  let owed = 0;
  return (credit) => {
    owed += credit;
    if (owed < leastGrant) return;
    send(owed);
    owed = 0;
  };
}

/** What was not begun can be asked of another replica, or in another way. */
function notBegun(message: string): PeerError {
  return new PeerError("draining", message);
}
