import { type JsonObject, jsonObjectOf } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { EventFilter } from "../ai-sdk/response-shape.ts";
import { statusOfException } from "./errors.ts";
import { type EventFrame, leastFrameBytes, readFrame, writeFrame } from "./event-frame.ts";

/**
 * Yields what is read of the events of an AWS event stream, as such events. Throws a SlotFailure for an
 * exception, where an event is larger than the limit, and where the stream ends within one.
 */
export async function* filterFrames(
  body: AsyncIterable<Buffer>,
  filter: EventFilter,
  maxFrameBytes: number,
): AsyncGenerator<Buffer> {
  const unread: Buffer[] = [];
  let unreadBytes = 0;
  let neededBytes = lengthBytes;
  for await (const chunk of body) {
    unread.push(chunk);
    unreadBytes += chunk.length;
    if (unreadBytes < neededBytes) continue;
    let bytes = Buffer.concat(unread);
    neededBytes = neededOf(bytes, maxFrameBytes);
    while (bytes.length >= neededBytes) {
      const known = readEvent(parseFrame(bytes.subarray(0, neededBytes)), filter);
      if (known !== undefined) yield known;
      bytes = bytes.subarray(neededBytes);
      neededBytes = neededOf(bytes, maxFrameBytes);
    }
    unread.length = 0;
    unread.push(bytes);
    unreadBytes = bytes.length;
  }
  if (unreadBytes === 0) return;
  throw new SlotFailure("rejected", "the provider's stream ends within an event");
}

/** The length of an event, which is its first part. */
const lengthBytes = 4;

/** Returns how many bytes the event has that begins here, or its length where that is not known. */
function neededOf(bytes: Buffer, maxFrameBytes: number): number {
  if (bytes.length < lengthBytes) return lengthBytes;
  return frameBytes(bytes.readUInt32BE(0), maxFrameBytes);
}

function frameBytes(bytes: number, maxFrameBytes: number): number {
  if (bytes > maxFrameBytes) throw new SlotFailure("oversized", "an event is too large");
  if (bytes >= leastFrameBytes) return bytes;
  throw notValid(undefined);
}

function parseFrame(bytes: Buffer): EventFrame {
  try {
    return readFrame(bytes);
  } catch (cause) {
    throw notValid(cause);
  }
}

function notValid(cause: unknown): SlotFailure {
  return new SlotFailure("rejected", "the provider's event stream is not valid", { cause });
}

/** Returns an event as it is read; undefined where it is left out. */
function readEvent({ headers, payload }: EventFrame, filter: EventFilter): Buffer | undefined {
  const messageType = headers.get(":message-type");
  const type = headers.get(":event-type");
  if (messageType === "exception") {
    const name = headers.get(":exception-type") ?? "";
    throw exceptionOf(name, jsonObjectOf(payload) ?? {}, filter);
  }
  if (messageType === "error") {
    const message = headers.get(":error-message");
    throw exceptionOf(headers.get(":error-code") ?? "", { message }, filter);
  }
  if (type === undefined) return undefined;
  const known = filter.read({ [type]: jsonObjectOf(payload) ?? {} });
  if (known === undefined) return undefined;
  const kept = new Map([
    [":event-type", type],
    [":message-type", "event"],
  ]);
  return writeFrame({ headers: kept, payload: JSON.stringify(known[type]) });
}

/** The body of the same refusal by HTTP has its name in upper case. */
function exceptionOf(name: string, payload: JsonObject, filter: EventFilter): SlotFailure {
  const code = name.charAt(0).toUpperCase() + name.slice(1);
  return filter.failureOf({ ...payload, __type: code }, statusOfException(code));
}
