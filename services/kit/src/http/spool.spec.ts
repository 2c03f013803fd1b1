import { once } from "node:events";
import { expect, test } from "vitest";
import { createSpool } from "./spool.ts";

async function read(
  spool: ReturnType<typeof createSpool>,
  start?: number,
  bytes?: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of spool.read(start, bytes) as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

const bytes = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));

test.each([
  ["in memory", 10_000],
  ["in a file", 1_000_000],
])("what is written comes out again, as often as it is read, %s", async (_, length) => {
  const spool = createSpool();
  const whole = bytes(length);
  // Not awaited one by one: the order is that of the calls.
  for (let at = 0; at < length; at += 7_001) void spool.write(whole.subarray(at, at + 7_001));
  await spool.write(Buffer.alloc(0));
  expect(spool.bytes).toBe(length);
  expect((await read(spool)).equals(whole)).toBe(true);
  expect((await read(spool, 44)).equals(whole.subarray(44))).toBe(true);
  expect((await read(spool, 44, 5_000)).equals(whole.subarray(44, 5_044))).toBe(true);
  expect(await read(spool, length, 0)).toHaveLength(0);
  expect(spool.head().equals(whole.subarray(0, 256 * 1024))).toBe(true);
  await spool.dispose();
});

test("a reading that is given up leaves the others whole", async () => {
  const spool = createSpool();
  const whole = bytes(1_000_000);
  await spool.write(whole);
  const unread = spool.read();
  const begun = spool.read();
  await once(begun, "readable");
  for (const given of [unread, begun]) {
    given.destroy();
    await once(given, "close");
  }
  expect((await read(spool)).equals(whole)).toBe(true);
  await spool.dispose();
});

test("what is written after the disposal goes nowhere", async () => {
  const spool = createSpool();
  await spool.write(bytes(300_000));
  await spool.dispose();
  await spool.write(bytes(300_000));
  expect(spool.bytes).toBe(300_000);
});
