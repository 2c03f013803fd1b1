import { writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { testCatalog } from "../src/catalog/catalog.ts";
import { eventually } from "../src/eventually.ts";
import {
  aliasOfCase,
  type ExchangeCase,
  exchangeCatalog,
  readExchanges,
  registerReplies,
} from "../src/exchanges/exchange-cases.ts";
import { expectExchange } from "../src/exchanges/expect-exchange.ts";
import { type ExchangeRun, runExchange } from "../src/exchanges/run-exchange.ts";
import { allEntries } from "../src/ledger.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const concurrency = 24;

const { stack } = await sharedStack();
const account = await stack.newAccount(10_000);
const rows = await readExchanges();
const cases = rows.flatMap((row) => row.cases);
registerReplies(cases, stack.simulator);
await loadExchanges();
afterAll(() => writeFile(stack.catalogFile, testCatalog(stack.simulator.url)));
const runs = await runAll();
const entries = await readEntries();

describe("an exchange, on every wire", () => {
  test.each(rows.map((row) => [row.title, row] as const))("%s", (_, { exchange, cases }) => {
    const failures = cases.flatMap((one) => {
      const run = runs.get(one);
      try {
        if (run === undefined || run instanceof Error) throw run;
        expectExchange(one, run, entries.get(run.requestId ?? ""), stack.simulator);
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

/** Adds the cases to the gateway's catalog, which it reads again. */
async function loadExchanges(): Promise<void> {
  const { providers, models, ...rest } = JSON.parse(testCatalog(stack.simulator.url));
  const more = exchangeCatalog(cases, stack.simulator.url);
  const catalog = {
    ...rest,
    providers: { ...providers, ...more.providers },
    models: [...models, ...more.models],
  };
  await writeFile(stack.catalogFile, JSON.stringify(catalog));
  const [first] = cases;
  const alias = first && aliasOfCase(first);
  await eventually(async () => {
    expect((await send(`${stack.url}/v1/models`)).text).toContain(`"${alias}"`);
  });
}

/** Makes all exchanges, and resolves with what each client got, or the error of its call. */
async function runAll(): Promise<Map<ExchangeCase, ExchangeRun | Error>> {
  const runs = new Map<ExchangeCase, ExchangeRun | Error>();
  const waiting = cases.values();
  const runSome = async () => {
    for (const one of waiting) {
      runs.set(one, await runExchange(stack, account, one).catch((error: Error) => error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runSome));
  return runs;
}

/** Resolves with the entries by their requests, once there is one of each request that is billed. */
async function readEntries() {
  const billed = cases.filter(({ exchange: { cost = 0, fails } }) => cost > 0 && !fails);
  const read = async () => {
    const all = await allEntries(stack, account.accountId);
    return new Map(all.map((entry) => [entry.requestId, entry]));
  };
  const isComplete = (entries: ReadonlyMap<string, unknown>) =>
    billed.every((one) => {
      const run = runs.get(one);
      return run instanceof Error || entries.has(run?.requestId ?? "");
    });
  try {
    return await eventually(
      async () => {
        const entries = await read();
        expect(isComplete(entries)).toBe(true);
        return entries;
      },
      { timeout: 5_000 },
    );
  } catch {
    // The exchange that has none fails by itself.
    return read();
  }
}
