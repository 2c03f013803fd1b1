import fc from "fast-check";
import { expect, test } from "vitest";
import { closingFrames, createFrameTracker } from "./websocket-frames.ts";

const [text, continued, ping, close, partOfText] = [0x81, 0x80, 0x89, 0x88, 0x01] as const;

/** A frame as a server writes it. */
function frame(first: number, length: number): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(first, 0);
  head.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(length, text)]);
}

test("a message may be added between messages and nowhere else, however the bytes are split", () => {
  const messages = [
    frame(text, 0),
    frame(text, 125),
    frame(text, 126),
    frame(text, 70_000),
    Buffer.concat([frame(partOfText, 9), frame(ping, 0), frame(continued, 9)]),
  ];
  const all = Buffer.concat(messages);
  const ends = new Set([0]);
  for (const count of messages.keys()) {
    ends.add(Buffer.concat(messages.slice(0, count + 1)).length);
  }
  const splits = fc.array(fc.oneof(fc.nat(all.length), fc.constantFrom(...ends)), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(splits, (places) => {
      const tracker = createFrameTracker();
      let from = 0;
      for (const to of [...places.sort((left, right) => left - right), all.length]) {
        tracker.push(all.subarray(from, to));
        expect(tracker.isOpen()).toBe(ends.has(to));
        from = to;
      }
    }),
  );
});

test("nothing may be added after a close frame, and the closing frames have one", () => {
  for (const frames of [frame(close, 2), closingFrames({ error: "x".repeat(300) }, 1_011)]) {
    const tracker = createFrameTracker();
    tracker.push(frames);
    expect(tracker.isOpen()).toBe(false);
  }
});

test("the first text message is read, however the bytes are split, and no other", () => {
  const frames = Buffer.concat([
    frame(ping, 3),
    closingFrames({ error: { code: "model_not_found" } }, 1_008),
    closingFrames({ error: { code: "invalid_json" } }, 1_008),
  ]);
  for (const size of [1, 7, frames.length]) {
    const read: string[] = [];
    const tracker = createFrameTracker((text) => read.push(text));
    for (let at = 0; at < frames.length; at += size) tracker.push(frames.subarray(at, at + size));
    expect(read).toEqual(['{"error":{"code":"model_not_found"}}']);
  }
});
