import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Resolves with the folder of a program's version in the cache, which the first call on a machine fills; with undefined
 * where that fails.
 */
export async function findCachedFolder(
  name: string,
  version: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = join(root, "tollgate", name);
  const folder = join(cache, version);
  if (await exists(folder)) return folder;
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  try {
    await fill(scratch);
    await rename(scratch, folder);
  } catch {
    await rm(scratch, { recursive: true, force: true });
  }
  return (await exists(folder)) ? folder : undefined;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
