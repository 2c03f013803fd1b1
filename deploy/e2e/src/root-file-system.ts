import { execFile } from "node:child_process";
import { chmod, cp, mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The user of the images. */
export const imageUser = 65_532;

/**
 * Writes to `root` what the base of an image has: the user, certificates and folders, and the given
 * programs of this machine with the libraries that they load. `programs` has the path in the image of
 * each.
 */
export async function writeBase(
  root: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  for (const folder of ["tmp", "etc/ssl/certs", "var/tmp", "dev", "proc"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  for (const folder of ["tmp", "var/tmp"]) await chmod(join(root, folder), 0o1777);
  await writeFile(
    join(root, "etc/passwd"),
    `tollgate:x:${imageUser}:${imageUser}::/tmp:/bin/false\n`,
  );
  await writeFile(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  await writeFile(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
  for (const [path, file] of Object.entries(programs)) {
    await copy(file, join(root, path));
    await copyLibraries(file, root);
  }
}

/** Copies the libraries that a program loads to the same paths under `root`. */
export async function copyLibraries(file: string, root: string): Promise<void> {
  const { stdout } = await run("ldd", [file]).catch(() => ({ stdout: "" }));
  const own = dirname(await realpath(file));
  for (const [library] of stdout.matchAll(/\/[^ ]+/g)) {
    if (!library.startsWith(dirname(own))) await copy(library, join(root, library));
  }
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(await realpath(from), to, { force: true });
}
