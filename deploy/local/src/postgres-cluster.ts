import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isReachable, makeOwnFolder, serverUid } from "./postgres-binaries.ts";
import { commandOf, isAlive } from "./process-table.ts";
import { stopProcess } from "./server-process.ts";

const run = promisify(execFile);
const noteName = "postgres-is-at.txt";

/** Fast: ends every session. Immediate: leaves the log to the next start. Both lose no data. */
export const postgresStopSignals = ["SIGINT", "SIGQUIT"] as const;

/**
 * Where the cluster of a data folder lies: in it, or, when it is closed to the user that Postgres
 * runs as (as a home of root is), at a place made from its path, which a note in the data folder
 * names. Once made, a cluster is not left behind when the data folder's mode changes: then an Error
 * is raised if it cannot be reached.
 */
export async function placeCluster(dataFolder: string): Promise<string> {
  const inside = join(dataFolder, "postgres");
  if (serverUid === undefined) return inside;
  const wasOutside = await exists(join(dataFolder, noteName));
  if (!wasOutside && (await isReachable(dataFolder))) return inside;
  if (!wasOutside && (await exists(join(inside, "PG_VERSION")))) {
    throw new Error(
      `the Postgres data in ${inside} cannot be reached by user ${serverUid}, which it runs as: ` +
        "let others search the folders above it (chmod o+x)",
    );
  }
  const outside = await outsideFolder(dataFolder);
  await writeFile(join(dataFolder, noteName), `${outside}\n`);
  return join(outside, "postgres");
}

/**
 * Whether the cluster is there. Raises an Error when it is another user's, as after a start as root
 * and one as oneself.
 */
export async function isInitialised(cluster: string): Promise<boolean> {
  const found = await stat(cluster).catch(() => undefined);
  if (found === undefined) return false;
  const owner = serverUid ?? process.getuid?.();
  if (owner === undefined || found.uid === owner) return exists(join(cluster, "PG_VERSION"));
  throw new Error(
    `the Postgres data in ${cluster} belongs to user ${found.uid}, not to user ${owner}: start ` +
      "as the user who started first, or set TOLLGATE_DATA_DIR to another folder",
  );
}

/**
 * Makes the cluster's files, under another name first: a start that is cut off leaves no half
 * cluster. Raises an Error that says what failed.
 */
export async function initialiseCluster(options: {
  binaries: string;
  cluster: string;
  user: string;
  password: string;
}): Promise<void> {
  const { binaries, cluster, user, password } = options;
  const unfinished = `${cluster}.unfinished`;
  const passwordFile = `${cluster}.initdb`;
  for (const rest of [unfinished, passwordFile]) await rm(rest, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: "wx" });
  if (serverUid !== undefined) {
    for (const path of [unfinished, passwordFile]) await chown(path, serverUid, serverUid);
  }
  const names = ["-D", unfinished, "-U", user, `--pwfile=${passwordFile}`];
  const flags = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-instructions"];
  try {
    await run(join(binaries, "bin", "initdb"), [...names, ...flags], {
      cwd: unfinished,
      ...(serverUid === undefined ? {} : { uid: serverUid, gid: serverUid }),
    });
    await rename(unfinished, cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`the embedded Postgres could not be set up: ${(error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * Stops the server that a killed launcher left on this cluster. The caller holds the data folder's
 * lock, which is what makes that server ours. Answers whether there was one.
 */
export async function stopOrphan(cluster: string): Promise<boolean> {
  const lock = join(cluster, "postmaster.pid");
  const pid = Number((await readFile(lock, "utf8").catch(() => "")).split("\n")[0]);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const command = await commandOf(pid);
  if (command === undefined) return false;
  if (command.includes(cluster)) {
    await stopProcess(pid, postgresStopSignals);
    return true;
  }
  // The id went to another program since; Postgres would take that one for a server of its own.
  await rm(lock, { force: true });
  return false;
}

async function outsideFolder(dataFolder: string): Promise<string> {
  const name = `tollgate-${createHash("sha256").update(dataFolder).digest("hex").slice(0, 16)}`;
  const places = ["/var/lib", "/var/tmp"].map((parent) => join(parent, name));
  for (const place of places) {
    if (await exists(place)) {
      await makeOwnFolder(place);
      return place;
    }
  }
  for (const place of places) {
    if (!(await isReachable(dirname(place)).catch(() => false))) continue;
    try {
      await makeOwnFolder(place);
      return place;
    } catch {
      // A read-only system: the next place may do.
    }
  }
  throw new Error(`no place for Postgres's data outside ${dataFolder}: set TOLLGATE_DATA_DIR`);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
