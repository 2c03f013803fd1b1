import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findNatsServer } from "./nats-binary.ts";
import { unpackNatsRelease } from "./nats-release.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-nats-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeProgram(place: string): Promise<string> {
  await mkdir(place, { recursive: true });
  const file = join(place, "nats-server");
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  return file;
}

test("the PATH takes precedence over the cache, and the newest version in the cache is used", async () => {
  const cache = join(folder, "tollgate", "nats-server");
  await writeProgram(join(cache, "2.9.10-1+b3"));
  const newest = await writeProgram(join(cache, "2.10.29"));
  await writeProgram(join(cache, ".unfinished"));
  const installed = await writeProgram(join(folder, "bin"));
  expect(await findNatsServer({ PATH: "/none", XDG_CACHE_HOME: folder })).toBe(newest);
  const PATH = `/none:${join(folder, "bin")}`;
  expect(await findNatsServer({ PATH, XDG_CACHE_HOME: folder })).toBe(installed);
});

test("a release with another checksum is refused", async () => {
  const forged = async () => new Response("something else");
  await expect(unpackNatsRelease(folder, forged)).rejects.toThrow(
    /has the wrong checksum|no release is pinned/,
  );
  expect(await readdir(folder)).toEqual([]);
});
