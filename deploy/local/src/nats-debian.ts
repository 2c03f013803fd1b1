import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { UnpackedNats } from "./unpacked-nats.ts";

const run = promisify(execFile);
const packageName = "nats-server";
const downloadTimeoutMs = 120_000;
/** Downloads as the current user: apt's own user cannot write into our folder. */
const asSelf = ["-o", "APT::Sandbox::User="];

/** Downloads Debian's package and unpacks it below the scratch folder, without root. */
export async function unpackDebianNats(scratch: string): Promise<UnpackedNats> {
  await download(scratch);
  const file = (await readdir(scratch)).find((entry) => entry.endsWith(".deb"));
  const version = file?.split("_")[1];
  if (file === undefined || version === undefined) throw new Error("apt-get downloaded nothing");
  const unpacked = join(scratch, "unpacked");
  await run("dpkg-deb", ["-x", join(scratch, file), unpacked]);
  return { file: join(unpacked, "usr", "sbin", "nats-server"), version };
}

/** Downloads the package; with fresh package lists of our own where the system's are stale. */
async function download(scratch: string): Promise<void> {
  const options = { cwd: scratch, timeout: downloadTimeoutMs };
  try {
    await run("apt-get", [...asSelf, "download", packageName], options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new Error("apt-get is not installed");
    const lists = join(scratch, "lists");
    const cache = join(scratch, "cache");
    for (const folder of [lists, join(cache, "archives")]) {
      await mkdir(join(folder, "partial"), { recursive: true });
    }
    const own = ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${cache}`];
    await run("apt-get", [...asSelf, ...own, "update"], options);
    await run("apt-get", [...asSelf, ...own, "download", packageName], options);
  }
}
