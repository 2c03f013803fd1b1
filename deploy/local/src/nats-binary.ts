import { randomUUID } from "node:crypto";
import { access, chmod, constants, copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { unpackDebianNats } from "./nats-debian.ts";
import { unpackNatsRelease } from "./nats-release.ts";
import type { UnpackedNats } from "./unpacked-nats.ts";

const program = "nats-server";

/**
 * Finds `nats-server` on the PATH or in the cache folder. Otherwise downloads Debian's package or
 * the official release into the cache; neither needs root. Throws an Error that says what to
 * install when nothing succeeds.
 */
export async function findNatsServer(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const installed = await findOnPath(env.PATH ?? "");
  if (installed !== undefined) return installed;
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tollgate", program);
  const cached = await findCached(cache);
  if (cached !== undefined) return cached;
  const reasons: string[] = [];
  const sources = {
    "Debian's package": unpackDebianNats,
    "the official release": unpackNatsRelease,
  };
  for (const [name, unpack] of Object.entries(sources)) {
    try {
      return await fillCache(cache, unpack);
    } catch (error) {
      reasons.push(`${name}: ${firstLine((error as Error).message)}`);
    }
  }
  throw new Error(
    "no NATS server found: install nats-server 2.9 or newer (apt-get install nats-server, " +
      `brew install nats-server), or set NATS_URL (${reasons.join("; ")})`,
  );
}

async function findOnPath(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, process.platform === "win32" ? `${program}.exe` : program);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** Resolves with the newest version in the cache. */
async function findCached(cache: string): Promise<string | undefined> {
  const versions = await readdir(cache).catch(() => []);
  const { compare } = new Intl.Collator("en", { numeric: true });
  for (const version of versions.sort(compare).reverse()) {
    const file = join(cache, version, program);
    if (!version.startsWith(".") && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** Unpacks into a scratch folder and renames it, so that no process runs an incomplete file. */
async function fillCache(
  cache: string,
  unpack: (scratch: string) => Promise<UnpackedNats>,
): Promise<string> {
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(join(scratch, "ready"), { recursive: true });
  try {
    const { file, version } = await unpack(scratch);
    const ready = join(scratch, "ready");
    await copyFile(file, join(ready, program));
    await chmod(join(ready, program), 0o755);
    const folder = join(cache, version);
    await rename(ready, folder).catch(async (error) => {
      // Another process was faster: its copy is used.
      if (!(await isExecutable(join(folder, program)))) throw error;
    });
    return join(folder, program);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").slice(0, 200);
}
