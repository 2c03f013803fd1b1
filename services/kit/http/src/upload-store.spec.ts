import { once } from "node:events";
import { open } from "node:fs/promises";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import { createUploadSpace } from "./upload-space.ts";
import { createUploadStore } from "./upload-store.ts";

const mebibyte = 1024 * 1024;

/** Returns space for uploads and what is in use. */
function createSpace() {
  let inUse = 0;
  const space = createUploadSpace({
    maxBytes: 40 * mebibyte,
    log: createLog("silent"),
    onChange: (bytes) => {
      inUse = bytes;
    },
  });
  return { open: () => space.open("key"), inUse: () => inUse };
}

const { open: reserve } = createSpace();

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
  const store = createUploadStore(reserve());
  const contents = bytes(length);
  // Not awaited one by one: the writes are done in the order of the calls.
  for (let at = 0; at < length; at += 7_001) void store.write(contents.subarray(at, at + 7_001));
  await store.write(Buffer.alloc(0));
  expect(store.byteLength()).toBe(length);
  expect((await read(store)).equals(contents)).toBe(true);
  expect((await read(store, 44)).equals(contents.subarray(44))).toBe(true);
  expect((await read(store, 44, 5_000)).equals(contents.subarray(44, 5_044))).toBe(true);
  expect(await read(store, length, 0)).toHaveLength(0);
  expect(store.head().equals(contents.subarray(0, 256 * 1024))).toBe(true);
  await store.dispose();
});

test("a read that is abandoned does not end other reads", async () => {
  const store = createUploadStore(reserve());
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
  const store = createUploadStore(reserve());
  await store.write(bytes(300_000));
  await store.dispose();
  await store.write(bytes(300_000));
  expect(store.byteLength()).toBe(300_000);
});

test("an upload on disk uses space until it is disposed of, and one in memory none", async () => {
  const { open: reserveOne, inUse } = createSpace();
  const small = createUploadStore(reserveOne());
  await small.write(bytes(200_000));
  expect(inUse()).toBe(0);
  const large = createUploadStore(reserveOne());
  for (let count = 0; count < 10; count += 1) await large.write(bytes(65_536));
  expect(inUse()).toBe(655_360);
  await small.dispose();
  await large.dispose();
  expect(inUse()).toBe(0);
});

test("an upload without space is refused, and its space is released", async () => {
  const { open: reserveOne, inUse } = createSpace();
  const store = createUploadStore(reserveOne());
  const busy = { code: "no_provider_available", status: 503, retryAfterSeconds: 5 };
  const half = Buffer.alloc(20 * mebibyte);
  await store.write(half);
  await expect(store.write(half)).rejects.toMatchObject(busy);
  expect(inUse()).toBe(20 * mebibyte);
  await store.dispose();
  expect(inUse()).toBe(0);
});

test.runIf(process.platform === "linux")("a full disk is the same refusal", async () => {
  const { open: reserveOne, inUse } = createSpace();
  const store = createUploadStore(reserveOne(), () => open("/dev/full", "r+"));
  const busy = { code: "no_provider_available", status: 503, retryAfterSeconds: 5 };
  await expect(store.write(bytes(300_000))).rejects.toMatchObject(busy);
  await store.dispose();
  expect(inUse()).toBe(0);
});
