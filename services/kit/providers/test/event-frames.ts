import { EventStreamCodec } from "@smithy/eventstream-codec";

/** AWS's own codec, so that the frames are not the gateway's reading of the format. */
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

/** Returns an event of an event stream. */
export function encodeEvent(type: string, payload: object): Buffer {
  return frameOf({ ":event-type": type, ":message-type": "event" }, payload);
}

/** Returns an exception of an event stream. */
export function encodeException(type: string, message: string): Buffer {
  return frameOf({ ":exception-type": type, ":message-type": "exception" }, { message });
}

function frameOf(headers: Record<string, string>, payload: object): Buffer {
  const typed = Object.entries({ ...headers, ":content-type": "application/json" }).map(
    ([name, value]) => [name, { type: "string" as const, value }] as const,
  );
  const body = Buffer.from(JSON.stringify(payload));
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body }));
}
