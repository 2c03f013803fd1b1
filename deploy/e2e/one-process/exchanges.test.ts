import { afterAll, describe, expect, test } from "vitest";
import {
  casesWithUnknowns,
  readExchanges,
  registerReplies,
} from "../src/exchanges/exchange-cases.ts";
import {
  checkRun,
  loadExchanges,
  runExchanges,
  unloadExchanges,
} from "../src/exchanges/exchange-runs.ts";
import { sharedStack } from "../src/shared-stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);

/** Of so many exchanges, one is made with unknowns, too. The long tests do so with all. */
const withUnknownsEvery = 5;

const { stack } = await sharedStack();
const account = await stack.newAccount(10_000);
const rows = await readExchanges();
const cases = rows.flatMap((row) => row.cases);
registerReplies(cases, stack.simulator);
await loadExchanges(stack, cases);
afterAll(() => unloadExchanges(stack));
const made = await runExchanges(stack, account, cases);

describe("an exchange, on every wire", () => {
  test.each(rows.map((row) => [row.title, row] as const))("%s", (_, { exchange, cases }) => {
    const failures = cases.flatMap((one) => {
      try {
        checkRun(stack, one, made);
        return [];
      } catch (error) {
        return [error];
      }
    });
    if (exchange.fails === undefined) {
      if (failures.length > 0) throw failures[0];
    } else {
      expect(failures, `it holds, and is marked: ${exchange.fails}`).not.toEqual([]);
    }
  });
});

test("what providers add to their responses changes nothing", async () => {
  const chosen = rows.filter((_, index) => (index + seed) % withUnknownsEvery === 0);
  const odd = casesWithUnknowns(chosen, seed);
  expect(odd.added).toBeGreaterThan(odd.cases.length);
  registerReplies(odd.cases, stack.simulator);
  const again = await runExchanges(stack, account, odd.cases);
  for (const one of odd.cases) checkRun(stack, one, again);
});
