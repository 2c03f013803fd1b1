import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "@tollgate/local/free-port";
import { eventually } from "./eventually.ts";

const run = promisify(execFile);
const version = "v0.203.0";
const buildTimeoutMs = 300_000;

/** Stripe's own mock: it refuses what Stripe's description of its API does not have. */
export interface StripeMock {
  url: string;
  stop(): void;
}

/**
 * Resolves with the program of Stripe's mock in the cache folder, where the first call on a machine builds it by
 * Go; with undefined where that fails.
 */
export async function findStripeMock(): Promise<string | undefined> {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = join(root, "tollgate", "stripe-mock");
  const program = join(cache, version, "stripe-mock");
  if (await exists(program)) return program;
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  try {
    const env = { ...process.env, GOBIN: scratch };
    const wanted = `github.com/stripe/stripe-mock@${version}`;
    await run("go", ["install", wanted], { env, timeout: buildTimeoutMs });
    await rename(scratch, join(cache, version));
  } catch {
    await rm(scratch, { recursive: true, force: true });
  }
  return (await exists(program)) ? program : undefined;
}

/** Starts the mock. Resolves when it responds. */
export async function startStripeMock(program: string): Promise<StripeMock> {
  const port = await freePort();
  const child = spawn(program, ["-http-port", String(port)], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url), { timeout: 60_000 });
  return { url, stop: () => void child.kill() };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
