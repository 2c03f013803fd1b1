import { appendFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { releaseHold } from "../src/release.ts";
import { ledgerSchema } from "../src/schema.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";

describe("replicas of two versions", () => {
  let url: string;
  let pool: pg.Pool;
  let folder: string;

  beforeAll(async () => {
    url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    folder = await mkdtemp(join(tmpdir(), "tollgate-sql-"));
    await cp(fileURLToPath(new URL("../sql", import.meta.url)), folder, { recursive: true });
  });

  afterAll(async () => {
    await pool.end();
    await rm(folder, { recursive: true });
  });

  /** Starts a replica whose functions all have another text. */
  async function startNewer(version: number): Promise<void> {
    for (const file of await readdir(folder, { recursive: true })) {
      if (file.endsWith(".sql")) {
        await appendFile(join(folder, file), `-- Version ${version}.\n`);
      }
    }
    const newer = await openDatabase({
      url,
      schema: { ...ledgerSchema, functions: pathToFileURL(`${folder}/`) },
      maxConnections: 1,
      log: createLog("silent"),
    });
    await newer.end();
  }

  test("charge the same while the newer one replaces the functions", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const take = createHoldTaker(pool, 60_000);
    const capture = createCapture(pool);
    async function request(index: number): Promise<void> {
      const holdId = `${accountId}-${index}`;
      expect(await take({ holdId, accountId, estimateNanoUsd: 5_000n })).toMatchObject({
        heldNanoUsd: 5_000n,
      });
      if (index % 4 === 0) await releaseHold(pool, createWalletLocks(pool), holdId);
      else await capture(usageEvent({ accountId, holdId, costNanoUsd: 3_000n }));
    }
    for (let version = 1; version <= 5; version++) {
      const requests = Array.from({ length: 8 }, (_, index) => request(version * 8 + index));
      await Promise.all([...requests, startNewer(version)]);
    }
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 1_000_000n - 30n * 3_000n,
      held: 0n,
      entries: 1_000_000n - 30n * 3_000n,
    });
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
  });
});
