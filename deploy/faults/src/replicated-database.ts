import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type EmbeddedPostgres, startPostgres } from "@tollgate/local/postgres";
import pg from "pg";
import { portOf, startServerAddress } from "./server-address.ts";

/** A Postgres that can be lost, and a second one that replaces it, behind one address. */
export interface ReplicatedDatabase {
  /** The address leads to the first server, and after a failover to the second. */
  url: string;
  /** Prepares the second server from the first one in use. Undefined where it always follows the first. */
  prepare?(): Promise<void>;
  /** Kills the first server. The address leads to none then. */
  killFirst(): Promise<void>;
  /** Promotes the second server, and moves the address to it. */
  promoteSecond(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server and its synchronous standby in folders of `folder`. Resolves once the standby takes part in each commit. */
export async function startReplicatedDatabase(folder: string): Promise<ReplicatedDatabase> {
  const firstFolder = join(folder, "first");
  const secondFolder = join(folder, "second");
  const created = await startPostgres({ dataFolder: firstFolder });
  // A copy of a server that has stopped is a standby at the same position.
  await created.stop();
  await copyServerData(firstFolder, secondFolder);
  await writeFile(join(secondFolder, "postgres", "standby.signal"), "");
  const first = await startPostgres({
    dataFolder: firstFolder,
    port: portOf(created),
    settings: { synchronous_standby_names: "*" },
  });
  const { username, password } = new URL(first.url);
  const second = await startPostgres({
    dataFolder: secondFolder,
    settings: {
      primary_conninfo: `host=127.0.0.1 port=${portOf(first)} user=${username} password=${password}`,
    },
  });
  await untilSynchronous(first);
  const address = await startServerAddress(first);
  return {
    url: address.url,
    killFirst: () => address.killFirst(),
    async promoteSecond() {
      await queryServer(second, "SELECT pg_promote()");
      address.moveTo(second);
    },
    stop: () => address.stop(second),
  };
}

/** Copies the data of a server and its password to a new folder. */
export async function copyServerData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o711 });
  await copyFile(join(from, "postgres.password"), join(to, "postgres.password"));
  await promisify(execFile)("cp", ["-a", join(from, "postgres"), join(to, "postgres")]);
}

async function untilSynchronous(server: EmbeddedPostgres): Promise<void> {
  for (;;) {
    const rows = await queryServer(
      server,
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'",
    );
    if (rows.length > 0) return;
  }
}

/** Resolves with the rows of a statement. */
export async function queryServer({ url }: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
