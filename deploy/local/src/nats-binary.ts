import { randomUUID } from "node:crypto";
import { access, chmod, constants, copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { unpackDebianNats } from "./nats-debian.ts";
import { unpackNatsRelease } from "./nats-release.ts";

const program = "nats-server";

/** A program that was unpacked into a scratch folder. */
export interface UnpackedNats {
  file: string;
  version: string;
}

/**
 * A `nats-server` of this machine: the one on the PATH, else one from the cache folder, which is
 * filled from Debian's package or else from the official release; neither needs root. Raises an
 * Error that says what to install.
 */
export async function findNatsServer(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const installed = await findOnPath(env.PATH ?? "");
  if (installed !== undefined) return installed;
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tollgate", program);
  const cached = await findCached(cache);
  if (cached !== undefined) return cached;
  const reasons: string[] = [];
  const sources = { "Debian's package": unpackDebianNats, "the release": unpackNatsRelease };
  for (const [name, unpack] of Object.entries(sources)) {
    try {
      return await fillCache(cache, unpack);
    } catch (error) {
      reasons.push(`${name}: ${firstLine((error as Error).message)}`);
    }
  }
  throw new Error(
    "the fleet needs a NATS server: put nats-server 2.9 or newer on the PATH (apt-get install " +
      `nats-server, brew install nats-server), or set NATS_URL (${reasons.join("; ")})`,
  );
}

async function findOnPath(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, process.platform === "win32" ? `${program}.exe` : program);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** The newest, where there are several. */
async function findCached(cache: string): Promise<string | undefined> {
  const versions = await readdir(cache).catch(() => []);
  const { compare } = new Intl.Collator("en", { numeric: true });
  for (const version of versions.sort(compare).reverse()) {
    const file = join(cache, version, program);
    if (!version.startsWith(".") && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** Unpacked beside its place and then renamed, so that nobody runs half of a program. */
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
    const place = join(cache, version);
    await rename(ready, place).catch(async (error) => {
      // Another process may have been faster: its copy serves as well.
      if (!(await isExecutable(join(place, program)))) throw error;
    });
    return join(place, program);
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
