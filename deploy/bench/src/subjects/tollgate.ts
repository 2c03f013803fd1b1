import { randomBytes, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FleetOptions, startFleet } from "@tollgate/local/fleet";
import { freePort } from "@tollgate/local/free-port";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import { createDatabase } from "@tollgate/local/postgres";
import { startTargetProcess } from "@tollgate/local/target-process";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { benchCatalog, catalogEnv } from "./catalog.ts";
import type { Gateway } from "./subject.ts";
import type { Testbed } from "./testbed.ts";

const newSecret = () => randomBytes(32).toString("base64url");
const secrets = { fleet: newSecret(), operator: newSecret() };
const ownMain = new URL(import.meta.resolve("@tollgate/program/main"));
/** A million dollars, more than any run spends. */
const creditNanoUsd = 1_000_000_000_000_000n;

export interface TollgateOptions {
  /** The name of its database, and of its catalog and spool in the testbed's folder. */
  database: string;
  aliases?: number;
  env?: NodeJS.ProcessEnv;
  /** The main file of another checkout. */
  main?: URL;
  /** Default: those of the image. */
  nodeFlags?: readonly string[];
}

/** Starts the gateway in one process, with holds and metering, and limits of the key. */
export async function startAll(
  testbed: Testbed,
  { database, aliases, env, main = ownMain, nodeFlags }: TollgateOptions,
): Promise<Gateway & { databaseUrl: string; stop(): Promise<void> }> {
  const operatorAddress = `127.0.0.1:${await freePort()}`;
  const databaseUrl = await createDatabase(testbed.postgres.url, database);
  const program = { main, target: "all", ...(nodeFlags && { nodeFlags }) };
  const child = await startTargetProcess(program, {
    TOLLGATE_CONSOLE_LISTEN: "",
    ...(await environment(testbed, database, aliases)),
    PORT: "0",
    DATABASE_URL: databaseUrl,
    TOLLGATE_LISTEN: operatorAddress,
    ...env,
  });
  testbed.defer(child.stop);
  const about = { name: "all", title: "Tollgate `--target all`" } as const;
  const location = { url: child.ready.url ?? "", pids: [child.pid] };
  const caller = await createCaller(operatorAddress);
  return { ...about, ...location, ...caller, databaseUrl, stop: child.stop };
}

export interface FleetGatewayOptions extends FleetOptions, Pick<TollgateOptions, "database"> {
  /** The launcher: that of another checkout starts the services of that checkout. */
  start?: typeof startFleet;
}

/** Starts the gateway as a fleet, and a broker. */
export async function startFleetGateway(
  testbed: Testbed,
  { database, start = startFleet, ...options }: FleetGatewayOptions,
): Promise<Gateway & { brokerPid: number }> {
  const nats = await startNatsServer({ dataFolder: testbed.folder });
  testbed.defer(nats.stop);
  const env = {
    ...(await environment(testbed, database)),
    DATABASE_URL: await createDatabase(testbed.postgres.url, database),
    NATS_URL: nats.url,
  };
  const fleet = await start(env, 0, options);
  testbed.defer(fleet.stop);
  const about = { name: "fleet", title: "Tollgate fleet" } as const;
  const location = { url: fleet.url, pids: fleet.pids() };
  const caller = await createCaller(fleet.billingAddress);
  return { ...about, ...location, ...caller, brokerPid: nats.pid };
}

async function environment(
  { folder, provider }: Testbed,
  name: string,
  aliases?: number,
): Promise<NodeJS.ProcessEnv> {
  const catalog = join(folder, `${name}-catalog.json`);
  await writeFile(catalog, benchCatalog(provider.url, aliases));
  return {
    PATH: process.env.PATH,
    HOST: "127.0.0.1",
    TOLLGATE_CATALOG: catalog,
    ...catalogEnv,
    TOLLGATE_FLEET_SECRET: secrets.fleet,
    TOLLGATE_OPERATOR_SECRET: secrets.operator,
    TOLLGATE_LOG: "warn",
    TOLLGATE_SPOOL_DIR: join(folder, `${name}-spool`),
  };
}

/** Every limit of a key, each far above its use, so that all of them are checked. */
export const keyLimits = {
  budget: { amountNanoUsd: 10n ** 14n, period: BudgetPeriod.DAY },
  requestsPerMinute: 100_000_000,
  tokensPerMinute: 100_000_000_000n,
  parallel: 1_000_000,
};

/** Creates an account, and a key of it that has all limits. */
async function createCaller(operatorAddress: string) {
  const operator = connectOperator(operatorAddress, secrets);
  try {
    // Gateways that share a database need different account names.
    const account = `bench-${randomUUID()}`;
    await operator.client.createAccount({ name: account, creditNanoUsd });
    const grant = { account, limits: keyLimits };
    const { key, keyId, accountId } = await operator.client.createKey(grant);
    return { keyId, accountId, headers: { authorization: `Bearer ${key}` } };
  } finally {
    operator.close();
  }
}
