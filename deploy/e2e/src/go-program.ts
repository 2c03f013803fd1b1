import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { findCachedFolder } from "./cached-folder.ts";

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
  const folder = await findCachedFolder(name, version, (scratch) => {
    const env = { ...process.env, GOBIN: scratch };
    return run("go", ["install", `${module}@${version}`], { env, timeout: buildTimeoutMs });
  });
  return folder && join(folder, name);
}
