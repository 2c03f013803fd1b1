import { createLog } from "@tollgate/kit/log";
import { createMetrics } from "@tollgate/kit/operations/metrics";
import { createClient } from "@tollgate/kit/rpc/client";
import type { Client } from "@tollgate/kit/rpc/implementation";
import { createLocalTransport } from "@tollgate/kit/rpc/local";
import { createTrust } from "@tollgate/kit/trust";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { ledger } from "../src/service.ts";

export interface RunningLedger {
  client: Client<typeof LedgerService>;
  stop(): Promise<void>;
}

/** The service in this process, without a broker. */
export async function runLedger(databaseUrl: string): Promise<RunningLedger> {
  const log = createLog("silent");
  const transport = createLocalTransport(log);
  const service = await ledger.setup({
    name: "ledger",
    env: { DATABASE_URL: databaseUrl },
    log,
    peer: () => {
      throw new Error("the ledger asks nobody");
    },
    httpAddress: { host: "127.0.0.1", port: 0 },
    httpPeer: () => [],
    trust: createTrust(undefined),
    migrates: true,
    ending: { signal: new AbortController().signal, graceMs: 1_000 },
    metrics: createMetrics(),
    broker: undefined,
    notices: { publish() {}, subscribe() {} },
    now: () => new Date(),
  });
  for (const offer of service.offers) transport.add(offer);
  return { client: createClient(LedgerService, transport), stop: () => service.stop(1_000) };
}
