import { once } from "node:events";
import { expect, test } from "vitest";
import { createUploadStore } from "./upload-store.ts";

async function read(
  store: ReturnType<typeof createUploadStore>,
  start?: number,
  bytes?: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of store.read(start, bytes) as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

const bytes = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));

test.each([
  ["in memory", 10_000],
  ["in a file", 1_000_000],
])("an upload %s is read unchanged, any number of times", async (_, length) => {
  const store = createUploadStore();
  const contents = bytes(length);
  // Not awaited one by one: the writes are done in the order of the calls.
  for (let at = 0; at < length; at += 7_001) void store.write(contents.subarray(at, at + 7_001));
  await store.write(Buffer.alloc(0));
  expect(store.bytes).toBe(length);
  expect((await read(store)).equals(contents)).toBe(true);
  expect((await read(store, 44)).equals(contents.subarray(44))).toBe(true);
  expect((await read(store, 44, 5_000)).equals(contents.subarray(44, 5_044))).toBe(true);
  expect(await read(store, length, 0)).toHaveLength(0);
  expect(store.head().equals(contents.subarray(0, 256 * 1024))).toBe(true);
  await store.dispose();
});

test("a read that is abandoned does not end other reads", async () => {
  const store = createUploadStore();
  const contents = bytes(1_000_000);
  await store.write(contents);
  const unread = store.read();
  const begun = store.read();
  await once(begun, "readable");
  for (const given of [unread, begun]) {
    given.destroy();
    await once(given, "close");
  }
  expect((await read(store)).equals(contents)).toBe(true);
  await store.dispose();
});

test("writes after the disposal are ignored", async () => {
  const store = createUploadStore();
  await store.write(bytes(300_000));
  await store.dispose();
  await store.write(bytes(300_000));
  expect(store.bytes).toBe(300_000);
});
