import { rename, writeFile } from "node:fs/promises";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { expect } from "vitest";
import { testCatalog } from "../catalog/catalog.ts";
import { eventually } from "../eventually.ts";
import { allEntries } from "../ledger.ts";
import { send } from "../request.ts";
import type { Stack, TestAccount } from "../stack.ts";
import { aliasOfCase, type ExchangeCase, exchangeCatalog } from "./exchange-cases.ts";
import { expectExchange } from "./expect-exchange.ts";
import { type ExchangeRun, runExchange } from "./run-exchange.ts";

const concurrency = 24;

/** What the clients of many cases got, and were billed. */
export interface ExchangeRuns {
  readonly runs: ReadonlyMap<ExchangeCase, ExchangeRun | Error>;
  /** By the ids of their requests. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Adds the cases to the gateway's catalog, and resolves once it has read them. */
export async function loadExchanges(stack: Stack, cases: readonly ExchangeCase[]): Promise<void> {
  const { providers, models, ...rest } = JSON.parse(testCatalog(stack.simulator.url));
  const more = exchangeCatalog(cases, stack.simulator.url);
  const catalog = {
    ...rest,
    providers: { ...providers, ...more.providers },
    models: [...models, ...more.models],
  };
  await replaceCatalog(stack, JSON.stringify(catalog));
  const last = cases.at(-1);
  // The list of so many models is long: to read it again and again takes the gateway's time to load them.
  const url = `${stack.url}/v1/models/${last && aliasOfCase(last)}`;
  await eventually(async () => expect((await send(url)).status).toBe(200), loading);
}

/** Puts the catalog back as it was. */
export function unloadExchanges(stack: Stack): Promise<void> {
  return replaceCatalog(stack, testCatalog(stack.simulator.url));
}

/** Parsing so many models takes a busy machine long, in each service. */
const loading = { timeout: 90_000, interval: 250 };

/** Replaces the catalog's file at once, so that no service reads half of it. */
async function replaceCatalog({ catalogFile }: Stack, text: string): Promise<void> {
  await writeFile(`${catalogFile}.new`, text);
  await rename(`${catalogFile}.new`, catalogFile);
}

/** Sends the requests of all cases, and resolves once their entries are in the ledger. */
export async function runExchanges(
  stack: Stack,
  account: TestAccount,
  cases: readonly ExchangeCase[],
): Promise<ExchangeRuns> {
  const runs = new Map<ExchangeCase, ExchangeRun | Error>();
  const waiting = cases.values();
  const runSome = async () => {
    for (const one of waiting) {
      runs.set(one, await runExchange(stack, account, one).catch((error: Error) => error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runSome));
  return { runs, entries: await readEntries(stack, account, cases, runs) };
}

/** Throws what is wrong with the result of a case. */
export function checkRun(stack: Stack, one: ExchangeCase, { runs, entries }: ExchangeRuns): void {
  const run = runs.get(one);
  if (run === undefined || run instanceof Error) throw run;
  expectExchange(one, run, entries.get(run.requestId ?? ""), stack.simulator);
}

/** Resolves with the entries by their requests, once there is one of each request that is billed. */
async function readEntries(
  stack: Stack,
  { accountId }: TestAccount,
  cases: readonly ExchangeCase[],
  runs: ExchangeRuns["runs"],
): Promise<Map<string, Entry>> {
  const billed = cases.filter(({ exchange: { cost = 0, fails } }) => cost > 0 && !fails);
  const read = async () => {
    const all = await allEntries(stack, accountId);
    return new Map(all.map((entry) => [entry.requestId, entry]));
  };
  const hasEntry = (entries: ReadonlyMap<string, Entry>, run: ExchangeRun | Error | undefined) =>
    run instanceof Error || entries.has(run?.requestId ?? "");
  const options = { timeout: 5_000 };
  const complete = eventually(async () => {
    const entries = await read();
    expect(billed.every((one) => hasEntry(entries, runs.get(one)))).toBe(true);
    return entries;
  }, options);
  // The exchange that has no entry fails by itself.
  return complete.catch(read);
}
