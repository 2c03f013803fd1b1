import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { newId, newRequestId } from "@tollgate/core/ids";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { cpuMs } from "../machine/cpu.ts";
import { median } from "../report/statistics.ts";

const batchSizes = [1, 30, 192];
const warmUpBatches = 30;
const accountId = newId("acct");
const keyId = newId("key");
const sharedHoldId = newId("hold");

const lines = [
  { dimension: "input", quantity: 300n, pricePicoUsd: 150_000n, amountNanoUsd: 45_000n, per: 1n },
  { dimension: "output", quantity: 112n, pricePicoUsd: 598_214n, amountNanoUsd: 67_000n, per: 1n },
];

interface Contender {
  title: string;
  /** It has one connection. */
  pool: pg.Pool;
  backendPid: number;
  captureBatch(size: number): Promise<void>;
}

/**
 * Compares the CPU that Postgres takes to capture usage events in checkouts, in turns. The key has every
 * limit, and its requests share a hold. Calls `say` with a line for each number of events in a
 * statement, with percentages of the first checkout.
 */
export async function compareCaptures(
  postgresUrl: string,
  checkouts: readonly string[],
  rounds: number,
  say: (line: string) => void,
): Promise<void> {
  const contenders: Contender[] = [];
  try {
    for (const [index, title] of checkouts.entries()) {
      const url = await createDatabase(postgresUrl, `bench_captures_${index}`);
      contenders.push(await openContender(title, url));
    }
    for (const size of batchSizes) say(await compare(contenders, size, rounds));
  } finally {
    for (const { pool } of contenders) await pool.end();
  }
}

async function openContender(title: string, url: string): Promise<Contender> {
  const { ledgerSchema } = await load<typeof import("@tollgate/ledger/schema")>(title, "schema");
  const { createCapture } = await load<typeof import("@tollgate/ledger/capture")>(title, "capture");
  const { topUp } = await load<typeof import("@tollgate/ledger/wallet")>(title, "wallet");
  const pool = await openDatabase({
    url,
    schema: ledgerSchema,
    maxConnections: 1,
    log: createLog("silent"),
    settings: { enable_seqscan: "off" },
  });
  await topUp(pool, { accountId, amountNanoUsd: 10n ** 15n, reference: "", at: new Date() });
  await pool.query(
    `SELECT set_limits($1, $2, 100000000000000, 'day', 100000000, 1e11::bigint, 1000000,
       NULL, NULL, NULL)`,
    [keyId, accountId],
  );
  const { rows } = await pool.query<{ granted: boolean; pid: number }>(
    `SELECT granted, pg_backend_pid() AS pid
     FROM take_shared_hold($1, $2, $3, 10000000000000, 100000, 100000000, 1000, 2, 3600000)`,
    [sharedHoldId, accountId, keyId],
  );
  if (!rows[0]?.granted) throw new Error("the shared hold was refused");
  const capture = createCapture(pool);
  const contender: Contender = {
    title,
    pool,
    backendPid: rows[0].pid,
    async captureBatch(size) {
      const captured = Array.from({ length: size }, () => capture(usageEvent()));
      capture.flush();
      await Promise.all(captured);
    },
  };
  for (let n = 0; n < warmUpBatches; n += 1) await contender.captureBatch(Math.max(...batchSizes));
  return contender;
}

/** Imports a source file of a checkout's ledger. */
function load<Module>(checkout: string, file: string): Promise<Module> {
  const path = resolve(checkout, `services/ledger/src/${file}.ts`);
  return import(pathToFileURL(path).href) as Promise<Module>;
}

function usageEvent() {
  const id = newRequestId();
  const model = { provider: "openai", upstreamModel: "gpt-5" };
  return create(UsageEventSchema, {
    ...{ id, requestId: id, accountId, keyId, occurredAt: timestampNow() },
    ...{ ...model, alias: "house-large", routeType: "chat", outcome: Outcome.COMPLETED },
    ...{ unitType: "tokens", quantity: 412n, basis: "provider" },
    ...{ promptTokens: 300n, completionTokens: 112n },
    ...{ costNanoUsd: 112_000n, reportedNanoUsd: 112_000n },
    ...{ sharedHoldId, sharedNanoUsd: 112_000n, sharedTokens: 400n },
    lines,
    providerUsage: '{"prompt_tokens":300,"completion_tokens":112,"total_tokens":412}',
    trail: { attempts: [{ ...model, durationMs: 3 }], durationMs: 4, heldNanoUsd: 200_000n },
  });
}

/** Captures batches of all contenders in turns. Resolves with a line of their medians. */
async function compare(
  contenders: readonly Contender[],
  size: number,
  rounds: number,
): Promise<string> {
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { backendPid, captureBatch }] of contenders.entries()) {
      const before = cpuMs([backendPid]);
      await captureBatch(size);
      samples[index]?.push(cpuMs([backendPid]) - before);
    }
  }
  const firstMs = median(samples[0] ?? []);
  const figures = contenders.map(({ title }, index) => {
    const ms = median(samples[index] ?? []);
    return `${title}: ${ms.toFixed(2)} ms (${((ms / firstMs - 1) * 100).toFixed(1)} %)`;
  });
  return `${size} events: ${figures.join(", ")}`;
}
