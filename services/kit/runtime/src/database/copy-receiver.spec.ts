import { describe, expect, test } from "vitest";
import { CopyReceiver } from "./copy-receiver.ts";

const opening = Buffer.from("48000000090100010001", "hex");
const complete = message("C", Buffer.from("COPY 3\0"));
const contents = [Buffer.alloc(0), Buffer.from("one"), Buffer.alloc(300, "two")];
const copied = Buffer.concat([opening, ...contents.map((content) => message("d", content))]);

describe("a receiver of a COPY", () => {
  test.each([1, 2, 5, 7, 64, 1_000])("brings together what comes by %i bytes", (size) => {
    const { messages, rest } = receive(Buffer.concat([copied, complete]), size);
    expect(messages).toEqual(contents);
    expect(rest.toString()).toBe(complete.toString());
  });

  test("names the place of what it waits for, and has it there", () => {
    const messages: Buffer[] = [];
    const receiver = new CopyReceiver(messages);
    const sent = Buffer.concat([opening, message("d", Buffer.from("0123456789"))]);
    expect(receiver.place()).toBeUndefined();
    expect(receiver.take(sent.subarray(0, -6))).toBeUndefined();
    for (const part of ["4567", "89"]) {
      receiver.place()?.set(Buffer.from(part));
      receiver.placed(part.length);
    }
    expect(messages.map(String)).toEqual(["0123456789"]);
    expect(receiver.place()).toBeUndefined();
    expect(receiver.take(complete)?.toString()).toBe(complete.toString());
  });

  test.each([
    ["an error in its place", message("E", Buffer.from("SERROR\0\0"))],
    ["another format", Buffer.concat([Buffer.from("48000000090000010000", "hex"), copied])],
    ["the end of something else", Buffer.concat([Buffer.from("d\0\0"), copied])],
  ])("leaves %s to the driver", (_, sent) => {
    const { messages, rest } = receive(sent, sent.byteLength);
    expect(messages).toEqual([]);
    expect(rest.toString("hex")).toBe(sent.toString("hex"));
  });

  test("leaves what follows a notice to the driver", () => {
    const behind = Buffer.concat([
      message("N", Buffer.from("SNOTICE\0\0")),
      message("d", complete),
    ]);
    const { messages, rest } = receive(Buffer.concat([copied, behind]), 11);
    expect(messages).toEqual(contents);
    expect(rest.toString("hex")).toBe(behind.toString("hex"));
  });
});

function message(kind: string, content: Buffer): Buffer {
  const head = Buffer.from(`${kind}\0\0\0\0`);
  head.writeUInt32BE(content.byteLength + 4, 1);
  return Buffer.concat([head, content]);
}

/** Hands over so many bytes at a time, out of one buffer, until the rest is the driver's. */
function receive(sent: Buffer, size: number): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  const receiver = new CopyReceiver(messages);
  for (let from = 0; from < sent.byteLength; from += size) {
    const read = Buffer.from(sent.subarray(from, from + size));
    const left = receiver.take(read);
    if (left !== undefined) {
      return { messages, rest: Buffer.concat([left, sent.subarray(from + size)]) };
    }
    read.fill(0);
  }
  return { messages, rest: Buffer.alloc(0) };
}
