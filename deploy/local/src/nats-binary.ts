import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * A `nats-server` of this machine: the one on the PATH, else one unpacked from Debian's package
 * into a cache folder, which needs no root. Raises an Error that says what to install.
 */
export async function findNatsServer(): Promise<string> {
  const installed = await findOnPath("nats-server");
  if (installed !== undefined) return installed;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "tollgate", "nats-server");
  const cached = join(folder, "usr", "sbin", "nats-server");
  if (await isExecutable(cached)) return cached;
  try {
    await unpackDebianPackage("nats-server", folder);
  } catch (cause) {
    const reason = ((cause as Error).message.split("\n")[0] ?? "").slice(0, 200);
    throw new Error(
      "the fleet needs a NATS server: install nats-server 2.9 or newer on the PATH, " +
        `or set NATS_URL (Debian's package cannot be had here: ${reason})`,
      { cause },
    );
  }
  return cached;
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, name);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function unpackDebianPackage(name: string, folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "tollgate-package-"));
  try {
    await download(name, scratch);
    const file = (await readdir(scratch)).find((entry) => entry.endsWith(".deb"));
    if (file === undefined) throw new Error("nothing was downloaded");
    const unpacked = join(scratch, "unpacked");
    await run("dpkg-deb", ["-x", join(scratch, file), unpacked]);
    await mkdir(join(folder, ".."), { recursive: true });
    // Another process may have been faster: its folder serves as well.
    await rename(unpacked, folder).catch(async () => {
      await run("cp", ["-a", `${unpacked}/.`, folder]);
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** With the package lists as they are, or else with fresh ones of our own. */
async function download(name: string, scratch: string): Promise<void> {
  const unsandboxed = ["-o", "APT::Sandbox::User="];
  try {
    await run("apt-get", [...unsandboxed, "download", name], { cwd: scratch });
  } catch {
    const state = join(scratch, "apt");
    await mkdir(join(state, "lists", "partial"), { recursive: true });
    await mkdir(join(state, "archives", "partial"), { recursive: true });
    const own = [
      ...unsandboxed,
      "-o",
      `Dir::State::lists=${join(state, "lists")}`,
      "-o",
      `Dir::Cache=${state}`,
    ];
    await run("apt-get", [...own, "update"], { cwd: scratch });
    await run("apt-get", [...own, "download", name], { cwd: scratch });
  }
}
