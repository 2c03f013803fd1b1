import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockFile } from "./file-lock.ts";

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "0.lock");
}

/** Starts a process that tries to take the lock, reports whether it has it, and stays. */
async function contend(path: string): Promise<{ child: ChildProcess; hasLock: boolean }> {
  const code = `
    const { lockFile } = await import(process.argv[1]);
    globalThis.lock = lockFile(process.argv[2]);
    process.stdout.write(String(globalThis.lock !== undefined));
    setInterval(() => {}, 1_000);`;
  const modulePath = join(import.meta.dirname, "file-lock.ts");
  const args = ["--input-type=module", "--eval", code, modulePath, path];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [printed] = await once(child.stdout, "data");
  return { child, hasLock: String(printed) === "true" };
}

test("a lock is exclusive within a process until it is released", async () => {
  const path = await lockPath();
  const lock = lockFile(path);
  expect(lockFile(path)).toBe(undefined);
  lock?.release();
  const next = lockFile(path);
  expect(next).toBeDefined();
  next?.release();
});

test("a lock excludes other processes, and ends with its process, also a killed one", async () => {
  const path = await lockPath();
  const { child, hasLock } = await contend(path);
  expect(hasLock).toBe(true);
  expect(lockFile(path)).toBe(undefined);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = lockFile(path);
  expect(lock).toBeDefined();
  expect((await contend(path)).hasLock).toBe(false);
  lock?.release();
});

test("of processes that try at the same time, exactly one has the lock", async () => {
  const path = await lockPath();
  const contenders = await Promise.all([1, 2, 3].map(() => contend(path)));
  expect(contenders.filter(({ hasLock }) => hasLock)).toHaveLength(1);
});

test("nothing is written to the file, and one that cannot be made is an error", async () => {
  const path = await lockPath();
  lockFile(path)?.release();
  expect(await readFile(path, "utf8")).toBe("");
  expect(() => lockFile(join(path, "below"))).toThrow();
});
