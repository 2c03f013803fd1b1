import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { Catalog, Model } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { createLog } from "@tollgate/core/log";
import { costOf, minOf, type Price } from "@tollgate/core/money";
import { createEngine, type Engine } from "@tollgate/generation/engine";
import { highestCost } from "@tollgate/generation/estimate";
import type { Generation } from "@tollgate/generation/generation";
import { createRunningGenerations } from "@tollgate/generation/running-generations";
import { createChargeLookup } from "@tollgate/metering/charge-lookup";
import { createHolds } from "@tollgate/metering/holds/holds";
import { openEventLog } from "@tollgate/metering/outbox/event-log";
import { RunningRequests } from "@tollgate/metering/outbox/running-requests";
import { createPublisher } from "@tollgate/metering/usage-publisher";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { createBreakers } from "@tollgate/upstream/breaker";
import { ProviderRequestIds } from "@tollgate/upstream/provider-request-ids";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openWallet, readWallet } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

const log = createLog("silent");
const metrics = createMetrics();
const emptyCatalog: Catalog = {
  providers: new Map(),
  models: new Map(),
  plans: new Map(),
  limits: { requestsPerMinute: 1, tokensPerMinute: 1 },
};

describe("the cost in a client's response", () => {
  let ledger: LedgerWithDatabase;
  let engine: Engine;
  /** Delays growHold calls to the ledger. */
  let delay: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
    const { client } = ledger;
    const eventLog = await openEventLog(await mkdtemp(join(tmpdir(), "spool-")), log);
    engine = createEngine({
      catalog: () => emptyCatalog,
      isCatalogNewest: () => true,
      holds: createHolds({
        ledger: { ...client, growHold: (...call) => delay.then(() => client.growHold(...call)) },
        log,
        metrics,
        runningRequests: new RunningRequests(eventLog, log, () => new Date()),
        busyFrom: 0,
      }),
      publisher: createPublisher({
        usageBroker: undefined,
        ledger: client,
        eventLog,
        log,
        metrics,
        missingAfterMs: 60_000,
      }),
      charges: createChargeLookup(client),
      breakers: createBreakers(() => performance.now()),
      redact: (_, text) => text,
      requestIds: new ProviderRequestIds(),
      running: createRunningGenerations(),
      log,
      metrics,
      now: () => new Date(),
    });
  });

  afterAll(() => ledger.stop());

  const per = fc.constantFrom(1n, 1_000n, 1_000_000n);
  const price = fc.record({ picoUsd: fc.bigInt(0n, 5n * 10n ** 12n), per });
  const call = fc.record({
    price,
    spare: fc.option(price, { nil: undefined }),
    bound: fc.bigInt(1n, 2_000n),
    used: fc.bigInt(0n, 4_000n),
    fails: fc.boolean(),
  });

  test("is the charge, for any prices, quantities and balances, and the entries sum to the balance", async () => {
    const property = fc.asyncProperty(
      fc.bigInt(0n, 3_000_000n).map((micro) => micro * 1_000n),
      fc.array(call, { maxLength: 8 }),
      async (opening, calls) => {
        const accountId = await openWallet(ledger.pool, opening === 0n ? 1_000n : opening);
        let balance = opening === 0n ? 1_000n : opening;
        for (const { price: first, spare, bound, used, fails } of calls) {
          const model = modelAt(spare === undefined ? [first] : [first, spare]);
          const outcome = await runOne(model, accountId, { bound, used, fails });
          if (outcome === "refused") {
            expect(balance).toBe(0n);
            continue;
          }
          const exact = used * first.picoUsd;
          const cost = outcome.fullCost;
          expect(cost * 1_000n * first.per).toBeGreaterThanOrEqual(exact);
          expect((cost - 1_000n) * 1_000n * first.per).toBeLessThan(exact === 0n ? 1n : exact);
          expect(cost % 1_000n).toBe(0n);
          const before = balance;
          balance -= fails ? 0n : outcome.reported;
          expect(await readSettled(accountId)).toEqual({ balance, held: 0n, entries: balance });
          // The hold grows by what the cost exceeds it by.
          if (!fails) expect(outcome.reported).toBe(minOf(cost, before));
        }
      },
    );
    await fc.assert(property, { numRuns: 80 });
  }, 240_000);

  test("a hold that grows while its generation ends is captured with it", async () => {
    const accountId = await openWallet(ledger.pool, 1_000_000n);
    const model = modelAt([{ picoUsd: 1_000n, per: 1n }]);
    const caller = create(CallerSchema, {
      requestId: `req_${randomUUID()}`,
      accountId,
      keyId: "k",
    });
    const ready = Promise.withResolvers<void>();
    delay = ready.promise;
    let growth: Promise<bigint> | undefined;
    let ended: Generation | undefined;
    const ending = engine.generate({ caller, model, estimate: 5_000n }, async (generation) => {
      growth = generation.grow(7_000n);
      ended = generation;
    });
    await Promise.race([ending, setTimeout(100)]);
    ready.resolve();
    expect(await growth).toBe(7_000n);
    await ending;
    expect(await readSettled(accountId)).toMatchObject({ balance: 1_000_000n, held: 0n });
    await expect(ended?.grow(1_000n)).rejects.toThrow("ended");
  });

  /** Resolves with the wallet after the ledger has captured the usage of all earlier responses. */
  async function readSettled(accountId: string) {
    const { wallet } = await ledger.client.getWallet({ accountId });
    const settled = await readWallet(ledger.pool, accountId);
    expect(wallet).toMatchObject({ balanceNanoUsd: settled?.balance, heldNanoUsd: settled?.held });
    return settled;
  }

  async function runOne(
    model: Model,
    accountId: string,
    { bound, used, fails }: { bound: bigint; used: bigint; fails: boolean },
  ) {
    const caller = create(CallerSchema, {
      requestId: `req_${randomUUID()}`,
      accountId,
      keyId: "key_1",
    });
    const costAt = (quantity: bigint) => (unit: Price) => costOf([{ quantity, price: unit }]);
    const estimate = highestCost(model, ({ input }) => costAt(bound)(input));
    const unit = model.pricing.input;
    const fullCost = costAt(used)(unit);
    try {
      const cost = await engine.generate({ caller, model, estimate }, async (generation) => {
        const { slot } = await generation.attempt(async () => {
          if (fails) throw new Error("the provider failed");
        });
        const lines = [{ dimension: "images", quantity: used, price: unit }];
        return generation.settle(slot, { quantity: used, basis: "provider", lines });
      });
      return { reported: cost, fullCost };
    } catch (error) {
      if (fails && (error as Error).message === "the provider failed") {
        return { reported: 0n, fullCost };
      }
      expect(error).toMatchObject({ code: "credit_balance_exhausted" });
      return "refused";
    }
  }
});

function modelAt(prices: readonly Price[]): Model {
  const provider = {
    name: "p",
    kind: {} as ProviderKind,
    baseUrl: "http://p.test",
    baseUrlEnv: undefined,
    apiKeyEnv: undefined,
    timeoutMs: 1_000,
  };
  const pricingAt = (input: Price) => ({ unitType: "images", input }) as const;
  const chain = prices.map((input, index) => ({
    id: `${randomUUID()}/${index}`,
    provider,
    upstreamModel: "m",
    path: "/images/generations",
    pricing: pricingAt(input),
  }));
  const [input = { picoUsd: 0n, per: 1n }] = prices;
  return {
    alias: "m",
    routeType: "images",
    visibility: "public",
    created: 0,
    ownedBy: "p",
    contextTokens: undefined,
    maxOutputTokens: undefined,
    vision: false,
    passes: new Set(),
    allows: new Set(),
    takesTokens: false,
    unitType: "images",
    pricing: pricingAt(input),
    chain,
  };
}
