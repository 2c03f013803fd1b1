import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isReachable, makeOwnFolder, serverUid } from "./postgres-binaries.ts";
import { commandLineOf, isAlive } from "./process-table.ts";
import { stopProcess } from "./server-process.ts";

const run = promisify(execFile);
const locationFile = "postgres-location.txt";

/**
 * Fast shutdown, then immediate shutdown, after which the next start recovers. Both lose no data.
 */
export const postgresStopSignals = ["SIGINT", "SIGQUIT"] as const;

/**
 * Resolves with the folder of a data folder's cluster. It is in the data folder, unless the user
 * that runs Postgres cannot enter it (as with root's home folder): then it is in /var, with a name
 * derived from the path, and `postgres-location.txt` in the data folder names it. When the mode of
 * the data folder changes later, an existing cluster stays where it is; throws if it became
 * inaccessible.
 */
export async function chooseClusterFolder(dataFolder: string): Promise<string> {
  const inside = join(dataFolder, "postgres");
  if (serverUid === undefined) return inside;
  const wasOutside = await exists(join(dataFolder, locationFile));
  if (!wasOutside && (await isReachable(dataFolder))) return inside;
  if (!wasOutside && (await exists(join(inside, "PG_VERSION")))) {
    throw new Error(
      `user ${serverUid}, who runs Postgres, cannot reach its data in ${inside}: ` +
        "make the parent folders searchable (chmod o+x)",
    );
  }
  const outside = await outsideFolder(dataFolder);
  await writeFile(join(dataFolder, locationFile), `${outside}\n`);
  return join(outside, "postgres");
}

/**
 * Resolves with whether the cluster exists. Throws when it belongs to another user, as after a
 * start as root.
 */
export async function isInitialized(cluster: string): Promise<boolean> {
  const found = await stat(cluster).catch(() => undefined);
  if (found === undefined) return false;
  const owner = serverUid ?? process.getuid?.();
  if (owner === undefined || found.uid === owner) return exists(join(cluster, "PG_VERSION"));
  throw new Error(
    `the Postgres data in ${cluster} belongs to user ${found.uid}, not to user ${owner}: ` +
      "start as the user who created it, or set TOLLGATE_DATA_DIR to another folder",
  );
}

/**
 * Creates the cluster's files under a temporary name first, so that an interrupted start leaves no
 * incomplete cluster. Throws an Error with the reason when that fails.
 */
export async function initializeCluster(options: {
  binaries: string;
  cluster: string;
  user: string;
  password: string;
}): Promise<void> {
  const { binaries, cluster, user, password } = options;
  const temporary = `${cluster}.temporary`;
  const passwordFile = `${cluster}.initdb`;
  for (const rest of [temporary, passwordFile]) await rm(rest, { recursive: true, force: true });
  await mkdir(temporary, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: "wx" });
  if (serverUid !== undefined) {
    for (const path of [temporary, passwordFile]) await chown(path, serverUid, serverUid);
  }
  const names = ["-D", temporary, "-U", user, `--pwfile=${passwordFile}`];
  const flags = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-instructions"];
  try {
    await run(join(binaries, "bin", "initdb"), [...names, ...flags], {
      cwd: temporary,
      ...(serverUid === undefined ? {} : { uid: serverUid, gid: serverUid }),
    });
    await rename(temporary, cluster);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw new Error(`the embedded Postgres could not be initialized: ${(error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * Stops the server that a killed launcher left running on this cluster, and resolves with whether
 * there was one. The caller must hold the data folder's lock: only then is the server an orphan.
 */
export async function stopOrphan(cluster: string): Promise<boolean> {
  const lock = join(cluster, "postmaster.pid");
  const pid = Number((await readFile(lock, "utf8").catch(() => "")).split("\n")[0]);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const command = await commandLineOf(pid);
  if (command === undefined) return false;
  if (command.includes(cluster)) {
    await stopProcess(pid, postgresStopSignals);
    return true;
  }
  // Another program has the process id now. Postgres would mistake it for a running server.
  await rm(lock, { force: true });
  return false;
}

async function outsideFolder(dataFolder: string): Promise<string> {
  const name = `tollgate-${createHash("sha256").update(dataFolder).digest("hex").slice(0, 16)}`;
  const candidates = ["/var/lib", "/var/tmp"].map((parent) => join(parent, name));
  for (const folder of candidates) {
    if (await exists(folder)) {
      await makeOwnFolder(folder);
      return folder;
    }
  }
  for (const folder of candidates) {
    if (!(await isReachable(dirname(folder)).catch(() => false))) continue;
    try {
      await makeOwnFolder(folder);
      return folder;
    } catch {
      // The file system may be read-only: the next candidate may work.
    }
  }
  throw new Error(
    `the Postgres data can neither be in ${dataFolder} nor in /var: set TOLLGATE_DATA_DIR`,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
