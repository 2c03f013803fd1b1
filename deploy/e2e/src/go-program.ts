import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const buildTimeoutMs = 300_000;

/**
 * Resolves with a program in the cache folder, where the first call on a machine builds it from its Go module;
 * with undefined where that fails.
 */
export async function findGoProgram(
  name: string,
  { module, version }: { module: string; version: string },
): Promise<string | undefined> {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = join(root, "tollgate", name);
  const program = join(cache, version, name);
  if (await exists(program)) return program;
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  try {
    const env = { ...process.env, GOBIN: scratch };
    await run("go", ["install", `${module}@${version}`], { env, timeout: buildTimeoutMs });
    await rename(scratch, join(cache, version));
  } catch {
    await rm(scratch, { recursive: true, force: true });
  }
  return (await exists(program)) ? program : undefined;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
