import type { Model } from "@tollgate/catalog/model";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decodeLost } from "../outbox/lost-event.ts";
import { RunningRequests } from "../outbox/running-requests.ts";
import type { Hold } from "./hold.ts";
import { createHoldExtender } from "./hold-extender.ts";
import { createHoldReleaser } from "./hold-releaser.ts";
import { createHoldSharing } from "./hold-sharing.ts";
import { createHolds, type HoldTerms } from "./holds.ts";
import type { SharedAmounts } from "./shared-hold.ts";

const roundMs = 1_000;
const tickMs = 100;
const expiresInMs = 60_000;
const busyFrom = 4;
const model = { alias: "quick", routeType: "chat", unitType: "tokens" } as Model;
const payer = { accountId: "account", keyId: "key", isLimited: false };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A ledger that records the calls that it gets. */
function world(from = busyFrom) {
  const calls = { holds: 0, shares: 0, extended: [] as string[][] };
  const shared: { holdId: string; amountNanoUsd: bigint }[] = [];
  const slices: SharedAmounts[] = [];
  const sharers: string[] = [];
  const given: { holdId: string; amountNanoUsd: bigint }[] = [];
  const released: string[] = [];
  const wallet = { grants: true, isDown: false, response: Promise.resolve() };
  /** Whether each request that grew was counted as in progress already. */
  const counted: boolean[] = [];
  type Growth = { estimateNanoUsd: bigint; isCounted: boolean };
  type Shared = { holdId: string; accountId: string; keyId: string; amountNanoUsd: bigint };
  const ledger = {
    async hold({ estimateNanoUsd: heldNanoUsd }: { estimateNanoUsd: bigint }) {
      calls.holds += 1;
      return { heldNanoUsd, walletHeldNanoUsd: heldNanoUsd, expiresInMs };
    },
    async growHold({ estimateNanoUsd: addedNanoUsd, isCounted }: Growth) {
      counted.push(isCounted);
      if (wallet.isDown) throw new PeerError("unavailable", "down");
      return { addedNanoUsd, walletHeldNanoUsd: addedNanoUsd };
    },
    async takeSharedHold({ holdId, amountNanoUsd, keyId, ...slice }: Shared & SharedAmounts) {
      calls.shares += 1;
      slices.push({ amountNanoUsd, ...placesOf(slice) });
      sharers.push(keyId);
      await wallet.response;
      if (wallet.isDown) throw new PeerError("unavailable", "down");
      if (wallet.grants) shared.push({ holdId, amountNanoUsd });
      return { granted: wallet.grants, expiresInMs };
    },
    async releaseSharedHold({ holdId, amountNanoUsd }: Shared) {
      if (wallet.isDown) throw new PeerError("unavailable", "down");
      given.push({ holdId, amountNanoUsd });
      return {};
    },
    async extendHolds({ holdIds }: { holdIds: string[] }) {
      calls.extended.push(holdIds);
      return {};
    },
    async releaseHold({ holdId }: { holdId: string }) {
      if (wallet.isDown) throw new PeerError("unavailable", "down");
      released.push(holdId);
      return {};
    },
  } as unknown as Client<typeof LedgerService>;
  const metrics = createMetrics();
  const log = createLog("silent");
  const eventLog = { append: vi.fn(), remove: vi.fn() };
  const runningRequests = new RunningRequests(eventLog, log, () => new Date(0));
  const holds = createHolds({ ledger, log, metrics, runningRequests, busyFrom: from });
  let number = 0;
  function take(amount = 100n, terms: HoldTerms = {}) {
    number += 1;
    return holds.take(`req_${number}`, payer, amount, terms);
  }
  /** Serves requests one after the other that cost a tenth of what they held. */
  async function serve(count: number) {
    for (let index = 0; index < count; index += 1) end(await take());
  }
  const round = () => vi.advanceTimersByTimeAsync(roundMs);
  const rest = () => vi.advanceTimersByTimeAsync(2 * tickMs);
  return {
    holds,
    eventLog,
    metrics,
    calls,
    shared,
    slices,
    sharers,
    counted,
    given,
    released,
    wallet,
    take,
    serve,
    round,
    rest,
  };
}

function placesOf({ requests, tokens, inProgress }: Omit<SharedAmounts, "amountNanoUsd">) {
  return { requests, tokens, inProgress };
}

function end(hold: Hold, cost = 10n) {
  const settled = hold.settle(cost, 0n);
  hold.stopExtending();
  return settled;
}

test("the requests with parts of a shared hold are on disk, those of some milliseconds together, until all have ended", async () => {
  const { take, serve, round, eventLog } = world();
  const terms = { model };
  const own = await take(100n, terms);
  await serve(busyFrom);
  await round();
  const [one, two, brief] = [
    await take(100n, terms),
    await take(100n, terms),
    await take(100n, terms),
  ];
  end(brief);
  await vi.advanceTimersByTimeAsync(30);
  const later = await take(100n, terms);
  await vi.advanceTimersByTimeAsync(30);
  const records = eventLog.append.mock.calls.map(([[record]]) => record);
  const idsIn = records.map(({ bytes }) => decodeLost(bytes).map(({ requestId }) => requestId));
  expect(idsIn).toEqual([["req_6", "req_7"], ["req_9"]]);
  for (const ended of [own, one, one]) end(ended);
  expect(eventLog.remove).not.toHaveBeenCalled();
  end(later);
  end(two);
  expect(eventLog.remove.mock.calls).toEqual([[records[1].id], [records[0].id]]);
});

test("the requests of a busy account share a hold of twice what they needed", async () => {
  const { holds, metrics, calls, shared, take, serve, round } = world();
  await serve(busyFrom);
  expect([calls.holds, shared.length]).toEqual([busyFrom, 0]);
  await round();
  const needed = 100n + 10n * BigInt(busyFrom);
  expect(shared).toEqual([{ holdId: expect.any(String), amountNanoUsd: 2n * needed }]);
  const [{ holdId = "" } = {}] = shared;
  expect(end(await take())).toMatchObject({ holdId: "", sharedHoldId: holdId, sharedNanoUsd: 10n });
  expect(end(await take(), 0n)).toMatchObject({ holdId: "", sharedHoldId: "", sharedNanoUsd: 0n });
  expect(calls.holds).toBe(busyFrom);
  const { values } = await metrics.holds.get();
  expect(values.map(({ labels, value }) => [labels.result, value])).toEqual([
    ["taken", busyFrom],
    ["shared", 2],
  ]);
  await holds.stopSharing();
});

test("an idle account has all of its money available at once", async () => {
  const { holds, calls, shared, given, take, serve, round, rest } = world();
  await serve(busyFrom);
  await round();
  end(await take());
  await rest();
  const [{ holdId = "", amountNanoUsd = 0n } = {}] = shared;
  expect(given).toEqual([{ holdId, amountNanoUsd: amountNanoUsd - 10n }]);
  end(await take());
  expect(calls.holds).toBe(busyFrom + 1);
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(calls.extended).toEqual([]);
  expect([shared.length, given.length]).toEqual([1, 1]);
  await holds.stopSharing();
});

test("an account that is not busy shares no hold", async () => {
  const { holds, shared, serve, round } = world();
  for (let index = 0; index < 5; index += 1) {
    await serve(busyFrom - 1);
    await round();
  }
  expect(shared).toEqual([]);
  await holds.stopSharing();
});

test("no hold is shared when sharing is off", async () => {
  const { holds, shared, serve, round } = world(0);
  await serve(0);
  await round();
  await serve(100);
  await round();
  expect(shared).toEqual([]);
  await holds.stopSharing();
});

test("requests that cost nothing do not make an account busy", async () => {
  const { holds, calls, take, round } = world();
  for (let index = 0; index < 2 * busyFrom; index += 1) end(await take(0n), 0n);
  await round();
  expect(calls.shares).toBe(0);
  await holds.stopSharing();
});

test("a shared hold is replaced after a round", async () => {
  const { holds, shared, given, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const long = await take();
  await serve(busyFrom);
  await round();
  expect(shared).toHaveLength(2);
  const [{ holdId = "", amountNanoUsd = 0n } = {}] = shared;
  const spent = 10n * BigInt(busyFrom);
  expect(given).toEqual([{ holdId, amountNanoUsd: amountNanoUsd - spent - 100n }]);
  expect(end(long)).toMatchObject({ holdId: "", sharedHoldId: holdId, sharedNanoUsd: 100n });
  await holds.stopSharing();
  expect(given.map((one) => one.holdId)).toEqual(shared.map((one) => one.holdId));
});

test("a round that waits for the ledger delays the next", async () => {
  const { holds, calls, shared, wallet, serve, round } = world();
  const slow = Promise.withResolvers<void>();
  wallet.response = slow.promise;
  await serve(busyFrom);
  await round();
  await serve(busyFrom);
  await round();
  expect(calls.shares).toBe(1);
  slow.resolve();
  await round();
  expect(shared.length).toBe(2);
  await holds.stopSharing();
});

test("the shared hold of a request that outlives the round is extended until the request ends", async () => {
  const { holds, calls, shared, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const long = await take();
  await vi.advanceTimersByTimeAsync(expiresInMs / 2);
  expect(calls.extended).toEqual([[shared[0]?.holdId]]);
  end(long);
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(calls.extended).toHaveLength(1);
  await holds.stopSharing();
});

test("a request that needs more than is unused takes a hold of its own", async () => {
  const { holds, calls, shared, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const large = await take(shared[0]?.amountNanoUsd ?? 0n);
  await take();
  expect(calls.holds).toBe(busyFrom + 1);
  expect(end(large, 1_000n)).toMatchObject({ holdId: "", sharedNanoUsd: large.amount });
  await holds.stopSharing();
});

test("a request that grows beyond its part has an additional hold of its own", async () => {
  const { holds, calls, shared, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const hold = await take();
  expect(await hold.grow(50n)).toBe(50n);
  expect(hold.amount).toBe(150n);
  await vi.advanceTimersByTimeAsync(expiresInMs / 2);
  const both = [shared[0]?.holdId, `req_${busyFrom + 1}`];
  expect(calls.extended[0]?.toSorted()).toEqual(both.toSorted());
  expect(end(hold, 120n)).toMatchObject({
    holdId: `req_${busyFrom + 1}`,
    sharedHoldId: shared[0]?.holdId,
    sharedNanoUsd: 100n,
  });
  await holds.stopSharing();
});

test("a hold that grows again and again is still extended", async () => {
  const { holds, calls, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const hold = await take();
  for (let grown = 0; grown < 30; grown += 1) {
    await hold.grow(50n);
    await vi.advanceTimersByTimeAsync(2_000);
  }
  const own = calls.extended.filter((ids) => ids.includes(`req_${busyFrom + 1}`));
  expect(own.length).toBeGreaterThanOrEqual(2);
  end(hold);
  await holds.stopSharing();
});

test("a hold that may have grown is named in the settlement", async () => {
  const { holds, wallet, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const hold = await take();
  wallet.isDown = true;
  await expect(hold.grow(50n)).rejects.toMatchObject({ code: "no_provider_available" });
  expect(end(hold)).toMatchObject({ holdId: `req_${busyFrom + 1}` });
  await holds.stopSharing();
});

test("without enough available money no hold is shared", async () => {
  const { holds, calls, wallet, given, serve, round } = world();
  wallet.grants = false;
  await serve(busyFrom);
  await round();
  await serve(busyFrom);
  expect(calls.holds).toBe(2 * busyFrom);
  await holds.stopSharing();
  expect(given).toEqual([]);
});

test("without the ledger no hold is shared, and releases are sent when it is back", async () => {
  const { holds, calls, shared, given, released, wallet, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  await take();
  await serve(busyFrom);
  wallet.isDown = true;
  await round();
  await serve(1);
  expect(calls.holds).toBe(busyFrom + 1);
  await round();
  expect([given, released]).toEqual([[], []]);
  wallet.isDown = false;
  await round();
  expect(given.map(({ holdId }) => holdId)).toEqual([shared[0]?.holdId]);
  await round();
  expect([given.length, released.length]).toEqual([1, 1]);
  await holds.stopSharing();
});

test("a process that was suspended while its hold expired does not use it", async () => {
  const { holds, calls, take, serve, round } = world();
  await serve(busyFrom);
  await round();
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + expiresInMs);
  await take();
  expect(calls.holds).toBe(busyFrom + 1);
  vi.restoreAllMocks();
  await holds.stopSharing();
});

test("a process that stops also releases a hold that is granted meanwhile", async () => {
  const { holds, shared, given, wallet, serve, round } = world();
  const slow = Promise.withResolvers<void>();
  wallet.response = slow.promise;
  await serve(busyFrom);
  await round();
  const ended = holds.stopSharing();
  slow.resolve();
  await ended;
  expect(given).toEqual(shared);
  expect(given).toHaveLength(1);
});

test("a key with limits shares a hold with itself alone, of its limits too", async () => {
  const { holds, calls, slices, sharers, round } = world();
  const one = { accountId: "account", keyId: "one", isLimited: true };
  const tokens = 50n;
  for (let index = 0; index < busyFrom; index += 1) {
    const [hold, other] = await Promise.all([
      holds.take(`req_one_${index}`, one, 100n, { tokens }),
      holds.take(`req_${index}`, payer, 100n, { tokens }),
    ]);
    for (const ended of [hold, other]) {
      ended.settle(10n, 20n);
      ended.stopExtending();
    }
  }
  await round();
  expect(sharers).toEqual(["one", ""]);
  const needed = { requests: 4, tokens: 50n + 4n * 20n, inProgress: 1 };
  expect(slices[0]).toEqual({
    amountNanoUsd: 2n * (100n + 4n * 10n),
    requests: 2 * needed.requests,
    tokens: 2n * needed.tokens,
    inProgress: 2 * needed.inProgress,
  });
  const before = calls.holds;
  const parallel = await Promise.all(
    [1, 2, 3].map((index) => holds.take(`req_more_${index}`, one, 10n, { tokens })),
  );
  // The slice has places for two at once.
  expect(calls.holds).toBe(before + 1);
  for (const hold of parallel) hold.settle(0n, 0n);
  await holds.stopSharing();
});

test("a request that a shared hold counts as in progress is not counted again when it grows", async () => {
  const { holds, counted, round } = world();
  const one = { accountId: "account", keyId: "one", isLimited: true };
  const takeAll = async (name: string) => [
    await holds.take(`req_${name}_one`, one, 100n),
    await holds.take(`req_${name}`, payer, 100n),
  ];
  for (let index = 0; index < busyFrom; index += 1) {
    for (const hold of await takeAll(`${index}`)) hold.settle(10n, 0n);
  }
  const own = await takeAll("own");
  await round();
  const shared = await takeAll("shared");
  for (const hold of [...own, ...shared]) await hold.grow(50n);
  expect(counted).toEqual([false, false, true, false]);
  for (const hold of [...own, ...shared]) hold.settle(0n, 0n);
  await holds.stopSharing();
});

test("an account without requests is forgotten", async () => {
  const ledger = {} as Client<typeof LedgerService>;
  const extender = createHoldExtender(ledger, createLog("silent"));
  const releaser = createHoldReleaser(ledger, createLog("silent"));
  const sharing = createHoldSharing(ledger, extender, releaser, busyFrom);
  const demand = sharing.demandOf(payer);
  demand.beginRequest(100n);
  await vi.advanceTimersByTimeAsync(2 * roundMs);
  expect(sharing.demandOf(payer)).toBe(demand);
  demand.endRequest(100n, 0n);
  await vi.advanceTimersByTimeAsync(roundMs);
  expect(sharing.demandOf(payer)).not.toBe(demand);
  await sharing.stop();
});
