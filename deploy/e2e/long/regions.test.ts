import { quantile } from "@tollgate/bench/report/statistics";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { metricSum } from "../src/process-metrics.ts";
import { type RegionOutage, startRemoteRegion } from "../src/remote-region.ts";
import { chatBody, requestIdOf, send, simulate } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { type SteadyLoad, startSteadyLoad } from "../src/steady-load.ts";

const clients = 4;
/** The first requests of a load, in which processes compile their code. */
const warmUp = 200;
const requests = 400;
/** Each way: a round trip takes 80 ms. */
const delayMs = 40;
const creditUsd = 1_000;
/** Requests of the test's account share holds, however slow the machine is. */
const sharedFrom = { TOLLGATE_SHARE_HOLDS_FROM: "2" };
const unshared = { TOLLGATE_SHARE_HOLDS_FROM: "0" };
const waitOptions = { timeout: 120_000, interval: 50 };

interface Load {
  sent: readonly Sent[];
  /** The part of the requests with a hold of their own: each of them has called the ledger, and waited for it. */
  ownHolds: number;
}

interface Sent {
  status: number;
  requestId: string;
  /** What the response cost; 0 for a refusal. */
  cost: bigint;
  ms: number;
}

/** A model whose provider may take a minute. */
const slowModel = { model: "test-agent", ...simulate("delay_ms=600000") };

async function chat(
  url: string,
  { key }: TestAccount,
  user: string,
  request: object,
): Promise<Sent> {
  const startedAt = performance.now();
  const body = chatBody({ ...request, user });
  const response = await send(`${url}/v1/chat/completions`, { key, body });
  const { status, body: received } = response;
  const cost = status === 200 ? (received as { usage: { cost: number } }).usage.cost : 0;
  const ms = performance.now() - startedAt;
  return { status, requestId: requestIdOf(response) ?? "", cost: nanoUsd(cost), ms };
}

/** Sends requests until it is stopped. The provider takes `providerMs` for each. */
function keepSending(url: string, account: TestAccount, user: string, providerMs = 20) {
  const request = simulate(`delay_ms=${providerMs}`);
  return startSteadyLoad(clients, () => chat(url, account, user, request));
}

/** One process has no other region. */
describe.skipIf(inject("shape") !== "fleet")("a region that is 80 ms from its ledger", () => {
  let stack: OwnStack;
  let pool: pg.Pool;

  beforeAll(async () => {
    stack = await startStack(unshared, { services: chatServices });
    pool = new pg.Pool({ connectionString: stack.databaseUrl });
  });

  afterAll(async () => {
    await pool.end();
    await stack.stop();
  });

  /** Waits until every charge is in the books, and expects one of each response, of what it cost. */
  async function expectCharged(account: TestAccount, sent: readonly Sent[]): Promise<void> {
    const served = sent.filter(({ status }) => status === 200);
    const byId = ([one = ""]: string[], [other = ""]: string[]) => (one < other ? -1 : 1);
    const expected = served.map(({ requestId, cost }) => [requestId, String(cost)]).toSorted(byId);
    const text = `SELECT request_id, (-amount_nano_usd)::text AS cost FROM ledger.entry
      WHERE account_id = $1 AND kind = 'usage'`;
    await eventually(async () => {
      const { rows } = await pool.query(text, [account.accountId]);
      expect(rows.map(({ request_id, cost }) => [request_id, cost]).toSorted(byId)).toEqual(
        expected,
      );
    }, waitOptions);
    const paid = served.reduce((sum, { cost }) => sum + cost, 0n);
    await eventually(async () => {
      const { balance, held } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([BigInt(creditUsd) * 1_000_000_000n - paid, 0n]);
    }, waitOptions);
    await expectBalancedLedger(stack);
  }

  /** Sends requests, and counts those with a hold of their own. */
  async function measure(
    { url, operationsUrls }: { url: string; operationsUrls: readonly string[] },
    account: TestAccount,
  ): Promise<Load> {
    const load = keepSending(url, account, "measured");
    const isEnough = () => expect(load.responses.length).toBeGreaterThan(warmUp + requests);
    await eventually(isEnough, { timeout: 300_000 });
    const sent = await load.stop();
    expectServed(sent);
    const taken = await metricSum(operationsUrls, "tollgate_holds_total", '{result="taken"');
    const served = sent.filter(({ status }) => status === 200);
    return { sent, ownHolds: taken / served.length };
  }

  test("calls the ledger for each request, unless the requests share holds", async () => {
    const account = await stack.newAccount(creditUsd);
    const measureRemote = async (name: string, env: NodeJS.ProcessEnv) => {
      const region = await startRemoteRegion(stack, { name, delayMs, env });
      try {
        return await measure(region, account);
      } finally {
        await region.stop();
      }
    };
    const loads = {
      "home, a hold for each request": await measure(stack, account),
      "remote, a hold for each request": await measureRemote("own", unshared),
      "remote, shared holds": await measureRemote("shared", sharedFrom),
    };
    process.stdout.write(Object.entries(loads).map(toLine).join(""));
    const [home, own, shared] = Object.values(loads);
    expect(home?.ownHolds).toBeGreaterThanOrEqual(1);
    expect(own?.ownHolds).toBeGreaterThanOrEqual(1);
    expect(shared?.ownHolds).toBeLessThan(0.5);
    await expectCharged(
      account,
      Object.values(loads).flatMap(({ sent }) => sent),
    );
  }, 600_000);

  test.each([
    "refused",
    "silence",
  ] satisfies RegionOutage[])("refuses requests while it cannot call the ledger (%s), and each charge arrives once", async (how) => {
    const account = await stack.newAccount(creditUsd);
    const region = await startRemoteRegion(stack, { name: how, delayMs, env: sharedFrom });
    const [remoteUser, slowUser] = [`remote-${how}`, `slow-${how}`];
    const home = keepSending(stack.url, account, `home-${how}`, 100);
    const remote = keepSending(region.url, account, remoteUser, 100);
    const all: Sent[] = [];
    let connect = () => {};
    try {
      await expectLast(remote, 200);
      const slow = Array.from({ length: 3 }, () => chat(region.url, account, slowUser, slowModel));
      await eventually(() => {
        expect(stack.simulator.calls.list({ user: slowUser })).toHaveLength(slow.length);
      }, waitOptions);
      connect = region.cutOff(how);
      await eventually(() => expect(remote.responses.at(-1)?.status).toBe(503), waitOptions);
      // Requests that have begun are served. Their charges stay on the disk of the region.
      stack.simulator.release();
      const late = await Promise.all(slow);
      expect(late.map(({ status }) => status)).toEqual([200, 200, 200]);
      all.push(...late);
      const ids = late.map(({ requestId }) => requestId);
      await expectLast(remote, 503);
      const homeBefore = home.responses.length;
      const calls = stack.simulator.calls.list({ user: remoteUser }).length;
      await expectLast(remote, 503);
      await eventually(
        () => expect(home.responses.length).toBeGreaterThan(homeBefore),
        waitOptions,
      );
      const found = await pool.query("SELECT FROM ledger.entry WHERE request_id = ANY ($1)", [ids]);
      expect(found.rowCount).toBe(0);
      const pending = await metricSum(region.operationsUrls, "tollgate_usage_events_pending");
      expect(pending).toBeGreaterThanOrEqual(slow.length);
      expect(stack.simulator.calls.list({ user: remoteUser })).toHaveLength(calls);
      connect();
      await expectLast(remote, 200);
      const [fromHome, fromRemote] = await Promise.all([home.stop(), remote.stop()]);
      all.push(...fromHome, ...fromRemote);
      expectServed(fromHome);
      expect(new Set(fromRemote.map(({ status }) => status))).toEqual(new Set([200, 503]));
      const served = fromRemote.filter(({ status }) => status === 200);
      expect(stack.simulator.calls.list({ user: remoteUser })).toHaveLength(served.length);
      await expectCharged(account, all);
    } finally {
      connect();
      await Promise.all([home.stop(), remote.stop()]);
      await region.stop();
    }
  }, 600_000);

  /** Waits until the last responses, two of each client, have a status. */
  async function expectLast({ responses }: SteadyLoad<Sent>, status: number): Promise<void> {
    const from = responses.length;
    await eventually(() => {
      const last = responses.slice(from).slice(-2 * clients);
      expect(last.map((one) => one.status)).toEqual(Array(2 * clients).fill(status));
    }, waitOptions);
  }
});

/** Expects that requests were served, except for a few 503s of a machine that is too busy to take holds in time. */
function expectServed(sent: readonly Sent[]): void {
  const others = sent.filter(({ status }) => status !== 200);
  expect(others.filter(({ status }) => status !== 503)).toEqual([]);
  expect(others.length).toBeLessThan(sent.length / 50);
}

/** Returns the figures of a load as a line. */
function toLine([name, { sent, ownHolds }]: [string, Load]): string {
  const ms = sent.slice(warmUp).map((one) => one.ms);
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(ms, part).toFixed(1));
  return `${name}: p50 ${p50} ms, p99 ${p99} ms, ${(100 * ownHolds).toFixed(0)} % wait for the ledger\n`;
}
