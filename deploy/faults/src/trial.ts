import { setTimeout as sleep } from "node:timers/promises";
import { nanoUsd } from "@tollgate/e2e/nano-usd";
import { connectOperator } from "@tollgate/local/operator";
import { lowestWallet, readEntries } from "./books.ts";
import { type Campaign, campaign, type Plan } from "./campaign.ts";
import { exchange } from "./exchange.ts";
import { fleetSecret, type Grounds, startGrounds } from "./grounds.ts";
import { judge, type Verdict } from "./oracle.ts";
import type { Customer, Told } from "./told.ts";

export interface Trial extends Campaign, Verdict {
  seconds: number;
}

const richUsd = 1_000;

/** Some can pay for all that they ask for; some run out on the way, and are topped up. */
const creditsUsd = [1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 0.02, 0.05];
const topUpUsd = 0.01;
const topUpEveryMs = 3_000;
const watchEveryMs = 500;
const settledPatienceMs = 120_000;

export type Operator = ReturnType<typeof connectOperator>["client"];

/**
 * Runs a plan against a fleet of its own, and judges it once all is healed: see `judge`, and also
 * that no wallet was ever below zero, that no hold stays open and that the books add up.
 */
export async function holdTrial(plan: Plan): Promise<Trial> {
  const startedAt = performance.now();
  const settings = {
    TOLLGATE_HOLD_SECONDS: "30",
    TOLLGATE_MISSING_AFTER_SECONDS: "3",
    TOLLGATE_SHARE_HOLDS_FROM: "2",
  };
  const grounds = await startGrounds(settings, plan.replicas);
  const operator = connectOperator(grounds.fleet.billingAddress, fleetSecret);
  try {
    const customers = await newCustomers(operator.client, creditsUsd);
    const wallets = watchWallets(grounds.databaseUrl);
    const payments = keepPaying(operator.client, customers.slice(-2));
    const held = await campaign(plan, grounds, customers);
    const paid = await payments.stop();
    const problems = [
      ...(await wallets.stop()),
      ...(await settle(operator.client, grounds, held.told)),
      ...(await judgePayments(grounds, paid)),
      ...(await judgeConversations(grounds, held.told)),
    ];
    const entries = await readEntries(grounds.databaseUrl);
    const verdict = judge(held.told, entries, grounds.simulator.calls.list());
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...held, ...verdict, violations: [...problems, ...verdict.violations], seconds };
  } finally {
    operator.close();
    await grounds.stop();
  }
}

/** An account and a key for each of the credits, in USD. */
export async function newCustomers(
  operator: Operator,
  credits: readonly number[],
): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (const [index, credit] of credits.entries()) {
    const name = `customer-${index}`;
    const { account } = await operator.createAccount({ name, creditNanoUsd: nanoUsd(credit) });
    const accountId = account?.id ?? "";
    const { key } = await operator.createKey({ account: accountId });
    customers.push({ accountId, key, isRich: credit >= richUsd });
  }
  return customers;
}

/** Tops wallets up, each payment under a reference and again until it is known to be there. */
function keepPaying(operator: Operator, customers: readonly Customer[]) {
  const stopping = new AbortController();
  const paid: string[] = [];
  async function pay(): Promise<void> {
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      const customer = customers[index % customers.length];
      if (customer === undefined) return;
      const reference = `payment-${index}`;
      paid.push(reference);
      await untilDone(() =>
        operator.topUpWallet({
          account: customer.accountId,
          amountNanoUsd: nanoUsd(topUpUsd),
          reference,
        }),
      );
      await sleep(topUpEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const paying = pay();
  return {
    async stop(): Promise<string[]> {
      stopping.abort();
      await paying;
      return paid;
    },
  };
}

async function judgePayments({ databaseUrl }: Grounds, paid: readonly string[]): Promise<string[]> {
  const entries = await readEntries(databaseUrl);
  const topUps = entries.filter(({ kind }) => kind === "top_up");
  return paid.flatMap((reference) => {
    const count = topUps.filter((entry) => entry.reference === reference).length;
    return count === 1 ? [] : [`${reference}: ${count} entries`];
  });
}

/** A turn whose answer came whole is stored; nothing is that was never asked. */
async function judgeConversations(
  { edges: [edge] }: Grounds,
  told: readonly Told[],
): Promise<string[]> {
  const sessions = new Map<string, Told[]>();
  for (const one of told) {
    if (one.sessionId === undefined) continue;
    sessions.set(one.sessionId, [...(sessions.get(one.sessionId) ?? []), one]);
  }
  const problems: string[] = [];
  for (const [sessionId, turns] of sessions) {
    const whole = turns.filter(({ ended }) => ended === "whole").length;
    const key = turns[0]?.customer.key ?? "";
    const url = `${edge}/v1/conversations/${sessionId}`;
    const { status, text } = await exchange(url, { method: "GET", key });
    const stored = status === 404 ? 0 : (JSON.parse(text) as { turn_count: number }).turn_count;
    if (stored < whole || stored > turns.length) {
      problems.push(`conversation ${sessionId}: ${whole} whole turns, ${stored} stored`);
    }
  }
  return problems;
}

/** Looks at all wallets again and again, whenever there is a database to ask. */
function watchWallets(databaseUrl: string) {
  const stopping = new AbortController();
  const problems: string[] = [];
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const lowest = await lowestWallet(databaseUrl).catch(() => undefined);
      if (lowest !== undefined && (lowest.balance < 0n || lowest.available < 0n)) {
        problems.push(`a wallet at ${lowest.balance}, ${lowest.available} available`);
      }
      await sleep(watchEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const watching = watch();
  return {
    async stop(): Promise<string[]> {
      stopping.abort();
      await watching;
      return problems;
    },
  };
}

/**
 * Waits until no hold is open and every whole answer has its entry; says what is left after that.
 */
export async function settle(
  operator: Operator,
  { databaseUrl, simulator }: Grounds,
  told: readonly Told[],
): Promise<string[]> {
  const deadline = performance.now() + settledPatienceMs;
  for (;;) {
    const { result } = await untilDone(() => operator.verifyLedger({}));
    const { violations } = judge(told, await readEntries(databaseUrl), simulator.calls.list());
    const openHolds = result?.openHolds ?? 0n;
    if ((openHolds === 0n && violations.length === 0) || performance.now() > deadline) {
      const open = openHolds === 0n ? [] : [`${openHolds} holds are open at the end`];
      return [...open, ...(result?.discrepancies ?? [])];
    }
    await sleep(watchEveryMs);
  }
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + settledPatienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(watchEveryMs);
    }
  }
}
