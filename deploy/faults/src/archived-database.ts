import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedPostgres, startPostgres } from "@tollgate/local/postgres";
import pg from "pg";
import { copyServerData, queryServer, type ReplicatedDatabase } from "./replicated-database.ts";
import { startServerAddress } from "./server-address.ts";

const pollMs = 100;

/**
 * Starts a Postgres that archives its write-ahead log, behind one address. `prepare` makes a base backup, which
 * `promoteSecond` restores with the archive, by the commands of the documentation. `killFirst` cuts the address
 * and removes the data of the first server, whose last write-ahead log is archived.
 */
export async function startArchivedDatabase(folder: string): Promise<ReplicatedDatabase> {
  const [firstFolder, secondFolder] = [join(folder, "first"), join(folder, "second")];
  const archive = join(folder, "archive");
  await mkdir(archive);
  await chmod(archive, 0o777);
  const first = await startPostgres({
    dataFolder: firstFolder,
    settings: archiveSettings(archive),
  });
  const address = await startServerAddress(first);
  let second: EmbeddedPostgres | undefined;
  return {
    url: address.url,
    prepare: () => backUp(first, firstFolder, secondFolder),
    async killFirst() {
      address.cut();
      await archiveAll(first, archive);
      await address.killFirst();
      await rm(firstFolder, { recursive: true });
    },
    async promoteSecond() {
      second = await startPostgres({
        dataFolder: secondFolder,
        settings: { restore_command: `cp ${archive}/%f %p` },
      });
      await untilWritable(second);
      address.moveTo(second);
    },
    stop: () => address.stop(second),
  };
}

/** Returns the settings of a server that archives its write-ahead log in a folder. */
export function archiveSettings(folder: string): Record<string, string> {
  return {
    archive_mode: "on",
    archive_command: `test ! -f ${folder}/%f && cp %p ${folder}/%f`,
  };
}

/** Copies the data of a server in use. */
async function backUp(server: EmbeddedPostgres, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('base', fast => true)");
    await copyServerData(from, to);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop()");
    const data = join(to, "postgres");
    const [row] = rows as { labelfile: string }[];
    await writeForServer(join(data, "backup_label"), row?.labelfile ?? "");
    await writeForServer(join(data, "recovery.signal"), "");
    await rm(join(data, "postmaster.pid"), { force: true });
  } finally {
    await client.end();
  }
}

/** Writes a file that Postgres reads and renames, which may run as another user. */
export async function writeForServer(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o666);
}

/** Resolves once all that was written is in the archive. */
export async function archiveAll(server: EmbeddedPostgres, archive: string): Promise<void> {
  const [row] = (await queryServer(server, "SELECT pg_walfile_name(pg_switch_wal()) AS name")) as {
    name: string;
  }[];
  while (!(await readdir(archive)).includes(row?.name ?? "")) await sleep(pollMs);
}

/** Resolves once a server has recovered. */
export async function untilWritable(server: EmbeddedPostgres): Promise<void> {
  for (;;) {
    const [row] = (await queryServer(server, "SELECT pg_is_in_recovery() AS recovers")) as {
      recovers: boolean;
    }[];
    if (row?.recovers === false) return;
    await sleep(pollMs);
  }
}
