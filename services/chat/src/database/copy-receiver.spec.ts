import { describe, expect, test } from "vitest";
import { CopyReceiver } from "./copy-receiver.ts";

const opening = Buffer.from("48000000090100010001", "hex");
const complete = message("C", Buffer.from("COPY 3\0"));
const contents = [Buffer.alloc(0), Buffer.from("one"), Buffer.alloc(300, "two")];
const copied = Buffer.concat([opening, ...contents.map((content) => message("d", content))]);

describe("a COPY receiver", () => {
  test.each([1, 2, 5, 7, 64, 1_000])("joins messages that arrive %i bytes at a time", (size) => {
    const { messages, rest } = receive(Buffer.concat([copied, complete]), size);
    expect(messages).toEqual(contents);
    expect(rest.toString()).toBe(complete.toString());
  });

  test("returns the place of an incomplete message as the target of the next read", () => {
    const messages: Buffer[] = [];
    const receiver = new CopyReceiver(messages);
    const sent = Buffer.concat([opening, message("d", Buffer.from("0123456789"))]);
    expect(receiver.target()).toBeUndefined();
    expect(receiver.receive(sent.subarray(0, -6))).toBeUndefined();
    for (const part of ["4567", "89"]) {
      receiver.target()?.set(Buffer.from(part));
      receiver.advance(part.length);
    }
    expect(messages.map(String)).toEqual(["0123456789"]);
    expect(receiver.target()).toBeUndefined();
    expect(receiver.receive(complete)?.toString()).toBe(complete.toString());
  });

  test.each([
    ["an error", message("E", Buffer.from("SERROR\0\0"))],
    [
      "a COPY in another format",
      Buffer.concat([Buffer.from("48000000090000010000", "hex"), copied]),
    ],
    ["a message that is not the start of a COPY", Buffer.concat([Buffer.from("d\0\0"), copied])],
  ])("leaves %s to the driver", (_, sent) => {
    const { messages, rest } = receive(sent, sent.byteLength);
    expect(messages).toEqual([]);
    expect(rest.toString("hex")).toBe(sent.toString("hex"));
  });

  test("leaves a notice and what follows it to the driver", () => {
    const following = Buffer.concat([
      message("N", Buffer.from("SNOTICE\0\0")),
      message("d", complete),
    ]);
    const { messages, rest } = receive(Buffer.concat([copied, following]), 11);
    expect(messages).toEqual(contents);
    expect(rest.toString("hex")).toBe(following.toString("hex"));
  });
});

function message(kind: string, content: Buffer): Buffer {
  const head = Buffer.from(`${kind}\0\0\0\0`);
  head.writeUInt32BE(content.byteLength + 4, 1);
  return Buffer.concat([head, content]);
}

/** Passes `size` bytes at a time, from a buffer that is then overwritten, until the receiver is done. */
function receive(sent: Buffer, size: number): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  const receiver = new CopyReceiver(messages);
  for (let from = 0; from < sent.byteLength; from += size) {
    const read = Buffer.from(sent.subarray(from, from + size));
    const left = receiver.receive(read);
    if (left !== undefined) {
      return { messages, rest: Buffer.concat([left, sent.subarray(from + size)]) };
    }
    read.fill(0);
  }
  return { messages, rest: Buffer.alloc(0) };
}
