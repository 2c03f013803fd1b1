import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { EncodedMessage } from "../encoded-message.ts";
import { lengthPrefix } from "../length-prefix.ts";

/** A batch of this size is sent at once. */
const maxBatchBytes = 256 * 1024;

export interface FrameBatch<Schema extends DescMessage> {
  add(frame: MessageInitShape<Schema>, payload?: EncodedMessage): void;
  /** Sends the frames in the batch, if there are any. */
  flush(): void;
}

/**
 * Collects the frames of one turn of the event loop and sends them together: a write costs as much
 * for one frame as for many.
 */
export function createFrameBatch<Schema extends DescMessage>(
  schema: Schema,
  send: (batch: Buffer) => void,
): FrameBatch<Schema> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let scheduled: NodeJS.Immediate | undefined;

  function flush(): void {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (parts.length === 0) return;
    const batch = Buffer.concat(parts, size);
    parts = [];
    size = 0;
    send(batch);
  }

  return {
    add(init, payload) {
      const frame = create(schema, init) as MessageShape<Schema>;
      const head = encodeHead(toBinary(schema, frame), payload?.byteLength);
      parts.push(head);
      if (payload !== undefined) parts.push(...payload.parts);
      size += head.length + (payload?.byteLength ?? 0);
      if (size >= maxBatchBytes) flush();
      else scheduled ??= setImmediate(flush);
    },
    flush,
  };
}

/** Field numbers of mux.proto. */
const framesField = 1;
const payloadField = 5;

/**
 * Encodes everything of a frame that precedes its payload: the frame's length, its other fields and
 * the payload's length. The payload itself is copied once, with the batch; protobuf-es would copy
 * it each time that its output buffer grows.
 */
function encodeHead(fields: Uint8Array, payloadLength: number | undefined): Uint8Array {
  const start = payloadLength === undefined ? [] : lengthPrefix(payloadField, payloadLength);
  const length = fields.length + start.length + (payloadLength ?? 0);
  const before = lengthPrefix(framesField, length);
  const head = Buffer.allocUnsafe(before.length + fields.length + start.length);
  head.set(before);
  head.set(fields, before.length);
  head.set(start, before.length + fields.length);
  return head;
}
