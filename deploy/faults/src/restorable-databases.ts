import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type EmbeddedPostgres, startPostgres } from "@tollgate/local/postgres";
import { serverUid } from "@tollgate/local/postgres-binaries";
import { archiveAll, archiveSettings, untilWritable, writeForServer } from "./archived-database.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";
import { queryServer } from "./replicated-database.ts";
import { startServerAddress } from "./server-address.ts";

/** A Postgres of which only a backup survives, and one that is restored from it, behind one address. */
export interface RestorableDatabase {
  /** The address leads to the first server, and after a restore to the second. */
  url: string;
  /** Backs the first server up while it is in use. */
  backUp(): Promise<void>;
  /** Kills the first server. The address leads to none then. */
  lose(): Promise<void>;
  /** Restores the moment of the backup on a new server, and moves the address to it. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** What a way to back up does with the first server, and how the second one starts. */
interface Backup {
  take(first: EmbeddedPostgres): Promise<void>;
  restore(): Promise<EmbeddedPostgres>;
}

/** Starts a Postgres that is backed up by `pg_dump`, and restored by `pg_restore`. */
export function startDumpedDatabase(
  folder: string,
  programs: PostgresPrograms,
): Promise<RestorableDatabase> {
  const [secondFolder, file] = [join(folder, "second"), join(folder, "tollgate.dump")];
  return startRestorable(
    folder,
    {},
    {
      take: ({ url }) => programs.run("pg_dump", ["--format=custom", `--file=${file}`, url]),
      async restore() {
        const second = await startPostgres({ dataFolder: secondFolder });
        await programs.run("pg_restore", ["--exit-on-error", `--dbname=${second.url}`, file]);
        return second;
      },
    },
  );
}

/**
 * Starts a Postgres that archives its write-ahead log and is backed up by `pg_basebackup`. Its moment is later than
 * that of the base backup, and earlier than its loss.
 */
export async function startArchivingDatabase(
  folder: string,
  programs: PostgresPrograms,
): Promise<RestorableDatabase> {
  const secondFolder = join(folder, "second");
  const data = join(secondFolder, "postgres");
  const archive = join(folder, "archive");
  let moment = "";
  await mkdir(archive);
  await chmod(archive, 0o777);
  return startRestorable(folder, archiveSettings(archive), {
    async take(first) {
      const options = [`--dbname=${first.url}`, `--pgdata=${data}`, "--checkpoint=fast"];
      await programs.run("pg_basebackup", options);
      if (serverUid !== undefined) {
        await promisify(execFile)("chown", ["-R", `${serverUid}:${serverUid}`, data]);
      }
      moment = await momentOf(first);
      // The server stops at the first change after the moment, which the archive must have.
      await queryServer(first, "SELECT txid_current()");
      await archiveAll(first, archive);
    },
    async restore() {
      await writeForServer(join(data, "recovery.signal"), "");
      const second = await startPostgres({
        dataFolder: secondFolder,
        settings: {
          restore_command: `cp ${archive}/%f %p`,
          recovery_target_time: moment,
          recovery_target_action: "promote",
        },
      });
      await untilWritable(second);
      return second;
    },
  });
}

async function startRestorable(
  folder: string,
  settings: Record<string, string>,
  backup: Backup,
): Promise<RestorableDatabase> {
  const firstFolder = join(folder, "first");
  const first = await startPostgres({ dataFolder: firstFolder, settings });
  const address = await startServerAddress(first);
  let second: EmbeddedPostgres | undefined;
  return {
    url: address.url,
    async backUp() {
      const secondFolder = join(folder, "second");
      await mkdir(secondFolder, { mode: 0o711 });
      // The role of the address has the same password on both servers.
      await copyFile(
        join(firstFolder, "postgres.password"),
        join(secondFolder, "postgres.password"),
      );
      await backup.take(first);
    },
    lose: () => address.killFirst(),
    async restore() {
      second = await backup.restore();
      address.moveTo(second);
    },
    stop: () => address.stop(second),
  };
}

async function momentOf(server: EmbeddedPostgres): Promise<string> {
  const [row] = (await queryServer(server, "SELECT clock_timestamp()::text AS moment")) as {
    moment: string;
  }[];
  return row?.moment ?? "";
}
