import { mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@tollgate/core/log";
import { expect, onTestFinished, test } from "vitest";
import { createUploadSpace, removeLeftUploads } from "./upload-space.ts";

const mebibyte = 1024 * 1024;
const busy = expect.objectContaining({
  code: "no_provider_available",
  message: "The gateway's space for uploads is in use. Retry in a moment.",
  retryAfterSeconds: 5,
});

function createSpace(maxMebibytes: number) {
  const changes: number[] = [];
  const onChange = (bytes: number) => void changes.push(bytes);
  const log = createLog("silent");
  return { ...createUploadSpace({ maxBytes: maxMebibytes * mebibyte, log, onChange }), changes };
}

test("the uploads of one key use at most a quarter of the space", () => {
  const space = createSpace(400);
  const [first, second] = [space.open("a"), space.open("a")];
  first.grow(60 * mebibyte);
  second.grow(40 * mebibyte);
  expect(() => second.grow(1)).toThrow(busy);
  space.open("b").grow(100 * mebibyte);
  first.release();
  second.grow(60 * mebibyte);
});

test("one key may use as much as the largest form, also of little space", () => {
  const space = createSpace(26);
  const upload = space.open("a");
  upload.grow(26 * mebibyte);
  expect(() => upload.grow(1)).toThrow(busy);
});

test("the uploads of all keys use at most the whole space", () => {
  const space = createSpace(30);
  space.open("a").grow(20 * mebibyte);
  const upload = space.open("b");
  expect(() => upload.grow(11 * mebibyte)).toThrow(busy);
  upload.grow(10 * mebibyte);
});

test("a reservation is released once", () => {
  const space = createSpace(30);
  const upload = space.open("a");
  upload.grow(5);
  upload.grow(7);
  upload.release();
  upload.release();
  expect(space.changes).toEqual([5, 12, 0]);
});

test("the files that a crash left are removed, and no other files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-left-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "other"), "x");
  const inUse = await open(join(folder, "tollgate-upload-1"), "wx+");
  await inUse.write("contents");
  await removeLeftUploads(folder);
  expect(await readdir(folder)).toEqual(["other"]);
  const { buffer, bytesRead } = await inUse.read(Buffer.alloc(8), 0, 8, 0);
  expect([bytesRead, String(buffer)]).toEqual([8, "contents"]);
  await inUse.close();
  await removeLeftUploads(join(folder, "missing"));
});
