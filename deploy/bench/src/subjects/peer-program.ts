import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** A program of a peer, which is not a dependency: it is installed at its first use. */
export interface PeerProgram {
  /** The name of its folder in the cache. */
  name: string;
  version: string;
  /** Its path in the folder that `install` fills. */
  file: string;
  /** Installs it in an empty folder. Rejects where it cannot, and when the signal aborts. */
  install(folder: string, signal: AbortSignal): Promise<void>;
}

/** Resolves with the path of a peer's program in the cache folder. Rejects as `install` does. */
export async function findProgram({ name, version, file, install }: PeerProgram): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "tollgate", name);
  const place = join(folder, version);
  const program = join(place, file);
  if (await isAccessible(program)) return program;
  const scratch = join(folder, `.${randomUUID()}`);
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once("exit", end);
  try {
    await mkdir(scratch, { recursive: true });
    await install(scratch, ending.signal);
    await rename(scratch, place).catch(async (error) => {
      // Another benchmark was faster: its copy is used.
      if (!(await isAccessible(program))) throw error;
    });
    return program;
  } finally {
    process.off("exit", end);
    await rm(scratch, { recursive: true, force: true });
  }
}

function isAccessible(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
