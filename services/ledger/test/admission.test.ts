import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Catalog, Model, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { createLog } from "@tollgate/core/log";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { createEngine, type Engine } from "@tollgate/generation/engine";
import type { Generation } from "@tollgate/generation/generation";
import { createRunningGenerations } from "@tollgate/generation/running-generations";
import { createChargeLookup } from "@tollgate/metering/charge-lookup";
import { createHolds } from "@tollgate/metering/holds/holds";
import { RunningRequests } from "@tollgate/metering/outbox/running-requests";
import { Admission, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { createBreakers } from "@tollgate/upstream/breaker";
import { ProviderRequestIds } from "@tollgate/upstream/provider-request-ids";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { releaseExpiredHolds } from "../src/release.ts";
import { halfOf, type ModelCall, ModelWallet, type Policy } from "./admission-model.ts";
import { openWallet, readWallet } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

const log = createLog("silent");
const metrics = createMetrics();
const eventLog = { append() {}, remove() {} };
const runningRequests = new RunningRequests(eventLog, log, () => new Date());
const emptyCatalog: Catalog = {
  providers: new Map(),
  models: new Map(),
  plans: new Map(),
  limits: { requestsPerMinute: 1, tokensPerMinute: 1 },
};

/** A call in progress: `end` settles it with a cost, or fails it. */
interface RunningCall {
  id: string;
  call: ModelCall;
  generation: Generation;
  end(cost: NanoUsd | undefined): Promise<NanoUsd | undefined>;
}

/** A usage event on the disk of its process, and what its client was told. */
interface SpooledEvent {
  event: UsageEvent;
  policy: Policy;
  cost: NanoUsd;
  reported: NanoUsd;
  /** Whether the hold had expired before the event was captured. */
  hasExpired: boolean;
}

describe("the admission policies", () => {
  let pool: pg.Pool;
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
    pool = ledger.pool;
  });

  afterAll(() => ledger.stop());

  const micro = (max: bigint) => fc.bigInt(1n, max).map((amount) => amount * 1_000n);
  const share = fc.integer({ min: 0, max: 100 });
  const start = fc.record({
    kind: fc.constant("start" as const),
    policy: fc.constantFrom<Policy>("likely stream", "likely", "strict", "whole"),
    most: micro(3_000n),
    likelyShare: fc.integer({ min: 1, max: 100 }),
    aloneShare: share,
  });
  const ofCall = (kind: "grow" | "end" | "fail" | "kill") =>
    fc.record({ kind: fc.constant(kind), pick: fc.nat(), share });
  const capture = fc.record({ kind: fc.constant("capture" as const), pick: fc.nat() });
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: start },
      { weight: 3, arbitrary: ofCall("grow") },
      { weight: 3, arbitrary: ofCall("end") },
      { weight: 1, arbitrary: ofCall("fail") },
      { weight: 1, arbitrary: ofCall("kill") },
      { weight: 3, arbitrary: capture },
    ),
    { maxLength: 40 },
  );

  test("hold, charge and report as the model does, for parallel calls, growth, killed processes and late captures", async () => {
    const property = fc.asyncProperty(micro(10_000n), steps, async (opening, all) => {
      const run = await startRun(opening);
      for (const step of all) {
        await run.take(step);
        await run.expectSame();
      }
      await run.finish();
    });
    await fc.assert(property, { numRuns: 60 });
  }, 240_000);

  /** Runs steps on the ledger and on the model, and compares them. */
  async function startRun(opening: NanoUsd) {
    const accountId = await openWallet(pool, opening);
    const model = new ModelWallet(opening);
    const running: RunningCall[] = [];
    const spool: SpooledEvent[] = [];
    const engine = createSpoolingEngine();

    async function begin({ policy, most, likelyShare, aloneShare }: Start): Promise<void> {
      const share = partOf(most, likelyShare);
      const likely = share > 0n ? share : 1_000n;
      const call = { policy, most, likely, aloneBelow: partOf(likely, aloneShare) };
      const id = `req_${randomUUID()}`;
      const isAlone = model.held === 0n;
      const hadMoney = model.available > 0n;
      const opened = await engine.open(id, accountId, call);
      expect(opened?.generation.held ?? 0n).toBe(model.take(id, call));
      if (opened !== undefined) running.push(opened);
      if (policy !== "whole" && isAlone) expect(opened !== undefined).toBe(hadMoney);
    }

    async function grow({ id, generation }: RunningCall, estimate: NanoUsd): Promise<void> {
      const added = await generation.grow(estimate).catch(() => 0n);
      expect(added).toBe(model.grow(id, estimate));
    }

    async function end({ id, call, generation, end }: RunningCall, costShare: number) {
      // A provider that is sent the ceiling uses what the hold pays for. That of a likely call may
      // use more: its prompt is not bounded by the hold.
      const isLikely = call.policy.startsWith("likely");
      const cost = partOf(isLikely ? call.most : generation.held, costShare);
      const due = minOf(cost, call.most) - generation.held;
      const held = generation.held + (isLikely && due > 0n ? model.grow(id, due) : 0n);
      const reported = await end(cost);
      expect(reported).toBe(minOf(cost, held));
      const event = engine.takeEvent(id);
      const { policy } = call;
      spool.push({ event, policy, cost, reported: reported ?? 0n, hasExpired: false });
    }

    async function expire(id: string): Promise<void> {
      await pool.query("UPDATE hold SET expires_at = now() - interval '1 s' WHERE id = $1", [id]);
      await releaseExpiredHolds(pool, 0);
      model.holds.delete(id);
    }

    async function record(spooled: SpooledEvent): Promise<void> {
      const { event, policy, cost, reported, hasExpired } = spooled;
      await ledger.client.recordUsage({ events: [event] });
      const charged = model.capture(event.id, cost, reported);
      const { rows } = await pool.query<{ amount: bigint; uncollected: bigint }>(
        `SELECT amount_nano_usd AS amount, uncollected_nano_usd AS uncollected
         FROM entry WHERE event_id = $1`,
        [event.id],
      );
      expect(rows).toEqual([{ amount: -charged, uncollected: cost - charged }]);
      expect(charged % 1_000n).toBe(0n);
      if (hasExpired) return;
      expect(charged).toBe(reported);
      if (!policy.startsWith("likely")) expect(cost - charged).toBe(0n);
    }

    return {
      async take(step: Step): Promise<void> {
        if (step.kind === "start") return begin(step);
        if (step.kind === "capture") {
          const spooled = removeAt(spool, step.pick);
          return spooled === undefined ? undefined : record(spooled);
        }
        const index = running.length === 0 ? -1 : step.pick % running.length;
        const picked = running[index];
        if (picked === undefined) return;
        if (step.kind === "grow") {
          if (picked.call.policy !== "likely stream") return;
          return grow(picked, partOf(picked.call.most, step.share));
        }
        running.splice(index, 1);
        if (step.kind === "end") return end(picked, step.share);
        if (step.kind === "fail") {
          await picked.end(undefined);
          await ledger.client.recordUsage({ events: [engine.takeEvent(picked.id)] });
          model.capture(picked.id, 0n, 0n);
          return;
        }
        // The process dies: the call never ends, its hold expires, and so do those of the events
        // on its disk, which the next process delivers.
        await expire(picked.id);
        const late = spool.at(step.pick % Math.max(spool.length, 1));
        if (late === undefined || step.share > 50) return;
        late.hasExpired = true;
        await expire(late.event.id);
      },
      async expectSame(): Promise<void> {
        const { balance, held } = model;
        expect(balance - held).toBeGreaterThanOrEqual(0n);
        const entries = balance;
        expect(await readWallet(pool, accountId)).toEqual({ balance, held, entries });
      },
      async finish(): Promise<void> {
        for (const picked of running.splice(0)) await end(picked, 50);
        for (const spooled of spool.splice(0)) await record(spooled);
        expect(model.held).toBe(0n);
        await this.expectSame();
      },
    };
  }

  /** Creates an engine whose usage events stay in its spool until the test records them. */
  function createSpoolingEngine() {
    const events = new Map<string, UsageEvent>();
    const { client } = ledger;
    const engine: Engine = createEngine({
      catalog: () => emptyCatalog,
      isCatalogNewest: () => true,
      holds: createHolds({ ledger: client, log, metrics, runningRequests, busyFrom: 0 }),
      publisher: {
        publish: async (event) => void events.set(event.id, event),
        stop: async () => {},
      },
      charges: createChargeLookup(client),
      breakers: createBreakers(() => performance.now()),
      redact: (_, text) => text,
      requestIds: new ProviderRequestIds(),
      running: createRunningGenerations(),
      log,
      metrics,
      now: () => new Date(),
    });
    return {
      takeEvent(id: string): UsageEvent {
        const event = events.get(id);
        if (event === undefined) throw new Error(`no event of ${id} was published`);
        return event;
      },
      async open(requestId: string, accountId: string, call: ModelCall) {
        const admission = admissionOf(call.policy);
        const caller = create(CallerSchema, { requestId, accountId, keyId: "key", admission });
        const opened = Promise.withResolvers<Generation>();
        const ended = Promise.withResolvers<NanoUsd | undefined>();
        const settled = engine.generate({ caller, model, ...holdOf(call) }, async (generation) => {
          opened.resolve(generation);
          const cost = await ended.promise;
          if (cost === undefined) throw new Error("the provider failed");
          return generation.settle(slot, usageOf(cost));
        });
        settled.catch(opened.reject);
        const generation = await opened.promise.catch(() => undefined);
        if (generation === undefined) return undefined;
        const end = (cost: NanoUsd | undefined) => {
          ended.resolve(cost);
          return settled.catch(() => undefined);
        };
        return { id: requestId, call, generation, end };
      },
    };
  }
});

interface Start {
  kind: "start";
  policy: Policy;
  most: NanoUsd;
  likelyShare: number;
  aloneShare: number;
}

type Step =
  | Start
  | { kind: "grow" | "end" | "fail" | "kill"; pick: number; share: number }
  | { kind: "capture"; pick: number };

const slot: Slot = {
  id: "p/m",
  provider: {
    name: "p",
    kind: {} as ProviderKind,
    baseUrl: "",
    baseUrlEnv: undefined,
    apiKeyEnv: undefined,
    timeoutMs: 1,
  },
  upstreamModel: "m",
  path: "/",
  pricing: { input: { picoUsd: 1_000n, per: 1n }, unitType: "tokens" },
};

const model: Model = {
  alias: "m",
  routeType: "chat",
  visibility: "public",
  created: 0,
  ownedBy: "p",
  contextTokens: undefined,
  maxOutputTokens: undefined,
  vision: false,
  passes: new Set(),
  allows: new Set(),
  takesTokens: false,
  unitType: "tokens",
  pricing: slot.pricing,
  chain: [slot],
};

/** A nano-USD a unit. */
function usageOf(cost: NanoUsd) {
  const lines = [{ dimension: "input", quantity: cost, price: slot.pricing.input }];
  return { quantity: cost, basis: "provider", lines };
}

function admissionOf(policy: Policy): Admission {
  if (policy === "strict") return Admission.STRICT;
  return policy === "whole" ? Admission.WHOLE : Admission.LIKELY;
}

function holdOf({ policy, most, likely, aloneBelow }: ModelCall) {
  if (policy === "strict" || policy === "whole") return { estimate: most, aloneBelow };
  if (policy === "likely") return { estimate: likely, aloneBelow };
  return { estimate: likely, least: halfOf(likely), aloneBelow };
}

/** Returns a share of an amount in percent, in whole micro-USD, as every charge is. */
function partOf(amount: NanoUsd, percent: number): NanoUsd {
  return ((amount * BigInt(percent)) / 100n / 1_000n) * 1_000n;
}

function removeAt<Item>(items: Item[], pick: number): Item | undefined {
  return items.length === 0 ? undefined : items.splice(pick % items.length, 1)[0];
}
