import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { allEntries, expectBalancedLedger } from "../src/ledger.ts";
import { randomAttack } from "../src/redteam/attack.ts";
import { type Attacker, newAttacker, tactics } from "../src/redteam/attacker.ts";
import { carryOut, type Sight } from "../src/redteam/carry-out.ts";
import { type AccountFigures, type CarriedOut, judgeAttacks } from "../src/redteam/verdict.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);
const isShort = inject("form") === "short";
const total = Number(process.env.TOLLGATE_REDTEAM_REQUESTS ?? (isShort ? 400 : 10_000));
const concurrency = 24;
const honestConcurrency = 2;

/** A request of the honest account that was not served. */
interface RefusedRequest {
  description: string;
  sight: Sight;
}

/** The numbers of honest requests begin here. */
const firstHonest = 1_000_000;

let stack: OwnStack;
let attackers: Attacker[];
let honest: Attacker;

beforeAll(async () => {
  // Nobody listens there. With traces on, the provider receives those that the clients begin.
  stack = await startStack({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  attackers = await Promise.all([
    ...tactics.map((tactic) => newAttacker(stack, tactic)),
    newAttacker(stack, "mixes", "empty"),
    newAttacker(stack, "mixes", "micro"),
    newAttacker(stack, "mixes", "whole"),
    newAttacker(stack, "mixes", "budget"),
    newAttacker(stack, "leaves at a moment", "micro"),
    newAttacker(stack, "creates jobs", "micro"),
    newAttacker(stack, "creates jobs", "budget"),
  ]);
  honest = await newAttacker(stack, "is honest");
});

afterAll(() => stack.stop());

test(`of ${total} requests none obtains more than it pays, and honest ones are all served`, async () => {
  process.stdout.write(`The seed is ${seed}. TOLLGATE_TEST_SEED sets another.\n`);
  const carriedOut: CarriedOut[] = [];
  const refused: RefusedRequest[] = [];
  let next = 0;
  let nextHonest = firstHonest;

  async function attackSome(): Promise<void> {
    while (next < total) {
      const attack = await randomAttack(seed, next++, attackers);
      carriedOut.push({ attack, sights: await carryOut(stack, attack, seed) });
    }
  }

  async function sendHonestly(): Promise<void> {
    while (next < total) {
      const attack = await randomAttack(seed, nextHonest++, [honest]);
      const sights = await carryOut(stack, attack, seed);
      carriedOut.push({ attack, sights });
      for (const sight of sights) {
        if (![101, 200, 202].includes(sight.status)) {
          refused.push({ description: attack.description, sight });
        }
      }
    }
  }

  await Promise.all([
    ...Array.from({ length: concurrency }, attackSome),
    ...Array.from({ length: honestConcurrency }, sendHonestly),
  ]);
  await expectBalancedLedger(stack, 90_000);
  await eventually(async () => expect(await jobHolds()).toBe(0n), { timeout: 60_000 });
  const all = [...attackers, honest].map(({ accountId }) => allEntries(stack, accountId));
  const entries = (await Promise.all(all)).flat();
  const { violations, accounts } = judgeAttacks(
    seed,
    carriedOut,
    stack.simulator.calls.list(),
    entries,
  );
  process.stdout.write(`${accounts.map(toLine).join("\n")}\n`);
  expect(await Promise.all(refused.map(describeRefused))).toEqual([]);
  expect(violations).toEqual([]);
  expect(nextHonest - firstHonest).toBeGreaterThan(total / 50);
}, 3_600_000);

/** Describes a refused request with what its record says of its attempts. */
async function describeRefused({ description, sight }: RefusedRequest): Promise<string> {
  const { requestId: id = "", text } = sight;
  const { requests } = await stack.operator.getRequest({ id });
  const attempts = requests.flatMap((request) => request.attempts);
  const tried = attempts.map(({ reason, durationMs }) => `${reason} after ${durationMs} ms`);
  return `${description}: ${text}, ${tried.join(", ") || "no attempt"}`;
}

async function jobHolds(): Promise<bigint> {
  const { result } = await stack.operator.verifyLedger({});
  return result?.jobHolds ?? -1n;
}

function toLine(one: AccountFigures): string {
  const { name, requests, calls, counted, charged, uncollected, estimated, ratio } = one;
  const sums = `counted ${counted}, charged ${charged}, uncollected ${uncollected}`;
  const rest = `of ${estimated} estimated calls ${ratio.toFixed(4)}`;
  return `${name}: ${requests} requests, ${calls} calls, ${sums}, ${rest}`;
}
