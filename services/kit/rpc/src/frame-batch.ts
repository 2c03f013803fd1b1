import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";

/** A batch that has grown so large goes out at once. */
const mostBytes = 256 * 1024;

export interface FrameBatch<Schema extends DescMessage> {
  add(frame: MessageInitShape<Schema>, payload?: Uint8Array): void;
  /** Sends what was gathered, if anything was. */
  flush(): void;
}

/**
 * Gathers the frames that are sent in one turn of the event loop: a write costs as much for one
 * frame as for many.
 */
export function createFrameBatch<Schema extends DescMessage>(
  schema: Schema,
  send: (batch: Buffer) => void,
): FrameBatch<Schema> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  let turn: NodeJS.Immediate | undefined;

  function flush(): void {
    clearImmediate(turn);
    turn = undefined;
    if (gathered.length === 0) return;
    const batch = Buffer.concat(gathered, size);
    gathered = [];
    size = 0;
    send(batch);
  }

  return {
    add(init, payload) {
      const frame = create(schema, init) as MessageShape<Schema>;
      const head = encodeHead(toBinary(schema, frame), payload?.length);
      gathered.push(head);
      if (payload !== undefined) gathered.push(payload);
      size += head.length + (payload?.length ?? 0);
      if (size >= mostBytes) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
  };
}

/** The fields' numbers in trunk.proto, and that they have a length. */
const framesTag = (1 << 3) | 2;
const payloadTag = (5 << 3) | 2;

/**
 * What of a batch stands before a frame's payload: the frame's length, its other fields, and the
 * length of the payload, which is copied once, with the batch. As a field that protobuf-es writes,
 * it would be copied each time that its buffer grows.
 */
function encodeHead(fields: Uint8Array, payloadLength: number | undefined): Uint8Array {
  const start = payloadLength === undefined ? [] : lengthPrefix(payloadTag, payloadLength);
  const length = fields.length + start.length + (payloadLength ?? 0);
  const before = lengthPrefix(framesTag, length);
  const head = Buffer.allocUnsafe(before.length + fields.length + start.length);
  head.set(before);
  head.set(fields, before.length);
  head.set(start, before.length + fields.length);
  return head;
}

/** A tag, and a length as a varint. */
function lengthPrefix(tag: number, length: number): number[] {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}
