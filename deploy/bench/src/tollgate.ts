import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startChild } from "@tollgate/local/child";
import { type Fleet, startFleet } from "@tollgate/local/fleet";
import { freePort } from "@tollgate/local/free-port";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import { createDatabase } from "@tollgate/local/postgres";
import { benchCatalog } from "./catalog.ts";
import type { Stage } from "./stage.ts";
import type { Gateway } from "./subject.ts";

const ownMain = new URL(import.meta.resolve("@tollgate/tollgate/main"));
/** A million dollars: no run comes to the end of it. */
const creditNanoUsd = 1_000_000_000_000_000n;

export interface TollgateOptions {
  /** Its database, and the folder of what it keeps besides. */
  database: string;
  aliases?: number;
  env?: NodeJS.ProcessEnv;
  /** Another checkout's program. */
  main?: URL;
}

/** The gateway in one process, holds and metering on. */
export async function startAll(
  stage: Stage,
  { database, aliases, env, main = ownMain }: TollgateOptions,
): Promise<Gateway & { databaseUrl: string; stop(): Promise<void> }> {
  const operatorAddress = `127.0.0.1:${await freePort()}`;
  const databaseUrl = await createDatabase(stage.postgres.url, database);
  const child = await startChild("all", main, ["--target", "all"], {
    ...(await environment(stage, database, aliases)),
    PORT: "0",
    DATABASE_URL: databaseUrl,
    TOLLGATE_LISTEN: operatorAddress,
    ...env,
  });
  stage.defer(child.stop);
  const about = { name: "all", title: "Tollgate `--target all`" } as const;
  const place = { url: child.ready.url ?? "", operatorAddress, pids: [child.pid] };
  const caller = await createCaller(operatorAddress);
  return { ...about, ...place, ...caller, databaseUrl, stop: child.stop };
}

/** The gateway as seven processes, or so many replicas of each, and a broker. */
export async function startFleetGateway(
  stage: Stage,
  database: string,
  replicas = 1,
): Promise<Gateway & { brokerPid: number; fleet: Fleet }> {
  const nats = await startNatsServer({ dataFolder: stage.folder });
  stage.defer(nats.stop);
  const env = {
    ...(await environment(stage, database)),
    DATABASE_URL: await createDatabase(stage.postgres.url, database),
    NATS_URL: nats.url,
  };
  const fleet = await startFleet(env, 0, replicas);
  stage.defer(fleet.stop);
  const about = { name: "fleet", title: "Tollgate fleet" } as const;
  const place = { url: fleet.url, operatorAddress: fleet.billingAddress, pids: fleet.pids() };
  return {
    ...about,
    ...place,
    ...(await createCaller(fleet.billingAddress)),
    brokerPid: nats.pid,
    fleet,
  };
}

async function environment(
  { folder, provider }: Stage,
  name: string,
  aliases?: number,
): Promise<NodeJS.ProcessEnv> {
  const catalog = join(folder, `${name}-catalog.json`);
  await writeFile(catalog, benchCatalog(provider.url, aliases));
  return {
    PATH: process.env.PATH,
    HOST: "127.0.0.1",
    TOLLGATE_CATALOG: catalog,
    TOLLGATE_LOG: "warn",
    TOLLGATE_SPOOL_DIR: join(folder, `${name}-spool`),
  };
}

async function createCaller(operatorAddress: string) {
  const operator = connectOperator(operatorAddress);
  try {
    // Gateways that share a database each have an account of their own.
    const account = `bench-${randomUUID()}`;
    await operator.client.createAccount({ name: account, creditNanoUsd });
    const { key, keyId, accountId } = await operator.client.createKey({ account });
    return { keyId, accountId, headers: { authorization: `Bearer ${key}` } };
  } finally {
    operator.close();
  }
}
