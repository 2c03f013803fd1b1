import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { createClient } from "@tollgate/rpc/client";
import type { Client } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { localNotices } from "@tollgate/runtime/broker/notices";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import type pg from "pg";
import { ledger } from "../src/service.ts";
import { createLedgerDatabase, openLedger } from "./ledger-database.ts";

export interface RunningLedger {
  client: Client<typeof LedgerService>;
  credits: Client<typeof CreditService>;
  stop(): Promise<void>;
}

export interface LedgerWithDatabase extends RunningLedger {
  /** Connections of the test's own. */
  pool: pg.Pool;
}

/** Starts the service with a new database in the run's Postgres. `stop` closes the pool, too. */
export async function startLedger(postgresUrl: string): Promise<LedgerWithDatabase> {
  const url = await createLedgerDatabase(postgresUrl);
  const pool = await openLedger(url);
  const { client, credits, stop } = await runLedger(url);
  return {
    pool,
    client,
    credits,
    async stop() {
      await stop();
      await pool.end();
    },
  };
}

/** Starts the service in this process, without a broker. */
export async function runLedger(databaseUrl: string): Promise<RunningLedger> {
  const log = createLog("silent");
  const transport = createLocalTransport(log);
  const service = await ledger.setup({
    name: "ledger",
    env: { DATABASE_URL: databaseUrl },
    log,
    peer: () => {
      throw new Error("the ledger calls no service");
    },
    httpAddress: { host: "127.0.0.1", port: 0 },
    httpPeer: () => [],
    edgeUrl: () => undefined,
    uploads: {
      open: () => {
        throw new Error("the ledger takes no uploads");
      },
    },
    peerAuth: createPeerAuth({}),
    migrates: true,
    shutdown: {
      leaving: new AbortController().signal,
      signal: new AbortController().signal,
      graceMs: 1_000,
    },
    metrics: createMetrics(),
    broker: undefined,
    notices: localNotices(),
    openCatalog: () => {
      throw new Error("the ledger has no catalog");
    },
    now: () => new Date(),
  });
  for (const binding of service.bindings) transport.add(binding);
  return {
    client: createClient(LedgerService, transport),
    credits: createClient(CreditService, transport),
    stop: () => service.stop(1_000),
  };
}
