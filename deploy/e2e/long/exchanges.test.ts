import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  casesWithUnknowns,
  readExchanges,
  registerReplies,
} from "../src/exchanges/exchange-cases.ts";
import { checkRun, loadExchanges, runExchanges } from "../src/exchanges/exchange-runs.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);
const rounds = inject("form") === "short" ? 1 : 40;

/** Requests that fail five times in a row take their slots out for an account. */
const roundsOfAccount = 4;

let stack: OwnStack;
let account: TestAccount;
const rows = await readExchanges();

beforeAll(async () => {
  stack = await startStack();
  await loadExchanges(
    stack,
    rows.flatMap((row) => row.cases),
  );
});

afterAll(() => stack.stop());

test("what providers add to their responses changes nothing, at any place", async () => {
  let added = 0;
  let requests = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (round % roundsOfAccount === 0) account = await stack.newAccount(100_000);
    const odd = casesWithUnknowns(rows, seed * 1_000 + round);
    registerReplies(odd.cases, stack.simulator);
    const made = await runExchanges(stack, account, odd.cases);
    for (const one of odd.cases) {
      try {
        checkRun(stack, one, made);
      } catch (error) {
        const { vendor, exchange, wire } = one;
        const label = `${vendor}: ${exchange.name}, on ${wire}, round ${round} of seed ${seed}`;
        throw new Error(`${label}: ${JSON.stringify(exchange.reply)}`, { cause: error });
      }
    }
    added += odd.added;
    requests += odd.cases.length;
  }
  process.stdout.write(`${added} unknowns in ${requests} responses, seed ${seed}\n`);
  expect(added).toBeGreaterThan(requests);
  await expectBalancedLedger(stack, 60_000);
}, 3_600_000);
