import { glob } from "node:fs/promises";
import type { Simulator } from "@tollgate/simulator/simulator";
import { chatModel, slot } from "../catalog/entries.ts";
import type { Exchange, ExchangeRequest } from "./exchange.ts";
import type { ExchangeWire } from "./exchange-wire.ts";
import { hello } from "./requests.ts";
import { addUnknowns } from "./unknowns-in-reply.ts";
import { type ExchangeVendor, exchangeVendors } from "./vendors.ts";

/** One exchange on one wire. */
export interface ExchangeCase {
  /** Of its reply, and of its alias. The cases of an exchange share both where they can. */
  readonly id: string;
  readonly wire: ExchangeWire;
  readonly exchange: Exchange;
  readonly vendor: ExchangeVendor;
  readonly request: ExchangeRequest;
}

/** An exchange with its cases. */
export interface ExchangeRow {
  /** `VENDOR: NAME`. */
  readonly title: string;
  readonly exchange: Exchange;
  readonly cases: readonly ExchangeCase[];
}

const wires = ["chat", "messages", "responses"] as const;

/** Reads all exchanges of the vendors' folders. */
export async function readExchanges(): Promise<ExchangeRow[]> {
  const rows: ExchangeRow[] = [];
  for (const folder of Object.keys(exchangeVendors) as ExchangeVendor[]) {
    const files: string[] = [];
    const found = glob(`${folder}/*.ts`, { cwd: import.meta.dirname });
    for await (const file of found) files.push(file);
    for (const file of files.sort()) {
      const exported: unknown[] = Object.values(await import(`${import.meta.dirname}/${file}`));
      for (const exchange of exported.filter(Array.isArray).flat() as Exchange[]) {
        rows.push(toRow(exchange, folder, rows.length));
      }
    }
  }
  const titles = rows.map(({ title }) => title);
  const repeated = titles.filter((title, index) => titles.indexOf(title) !== index);
  if (repeated.length > 0) throw new Error(`exchanges of one name: ${repeated.join(", ")}`);
  return rows;
}

function toRow(exchange: Exchange, folder: ExchangeVendor, index: number): ExchangeRow {
  const { vendor = folder, request = hello } = exchange;
  const made =
    exchange.wires ??
    exchangeVendors[vendor].wires ??
    wires.filter((wire) => request[wire] !== undefined);
  const cases = made.map((wire) => {
    const id = isApart(exchange) ? `${vendor}-${index}-${wire}` : `${vendor}-${index}`;
    return { id, wire, exchange, vendor, request };
  });
  return { title: `${vendor}: ${exchange.name}`, exchange, cases };
}

/** Whether a case must not share its slot: it may be out after a failure. Or what it is sent is compared. */
function isApart({ expected, sent }: Exchange): boolean {
  return expected.error !== undefined || sent !== undefined;
}

/**
 * Returns the cases of exchanges with what their providers might add by a seed, and how much that is. An
 * exchange that is marked has none, and neither has a rate limit: its slot is not called again for a while.
 */
export function casesWithUnknowns(rows: readonly ExchangeRow[], seed: number) {
  let added = 0;
  const cases = rows
    .filter(({ exchange }) => exchange.fails === undefined)
    .filter(({ exchange }) => exchange.expected.retryAfter === undefined)
    .flatMap((row, index): ExchangeCase[] => {
      const changed = addUnknowns(row.exchange.reply, seed * 100_003 + index);
      added += changed.added * row.cases.length;
      const exchange = { ...row.exchange, reply: changed.reply };
      return row.cases.map((one) => ({ ...one, exchange }));
    });
  return { cases, added };
}

/** Returns the alias of a case. */
export function aliasOfCase({ id }: ExchangeCase): string {
  return `exchange-${id}`;
}

const pricing = {
  input: "10",
  cached_input: "1",
  cache_write: "10",
  cache_write_1h: "20",
  output: "100",
};

/** Returns the providers and models of the cases, each with a slot that sends its reply. */
export function exchangeCatalog(cases: readonly ExchangeCase[], simulatorUrl: string) {
  const providers: Record<string, object> = {};
  for (const one of cases) providers[providerOf(one)] ??= providerEntry(one, simulatorUrl);
  const models = distinct(cases).map((one) => {
    const model = `${one.exchange.model ?? exchangeVendors[one.vendor].model}?reply_id=${one.id}`;
    const own = { vision: true, pricing, ...one.exchange.catalog };
    return chatModel(aliasOfCase(one), [slot(providerOf(one), model)], own);
  });
  return { providers, models };
}

/** Returns one case of each id. */
function distinct(cases: readonly ExchangeCase[]): ExchangeCase[] {
  return [...new Map(cases.map((one) => [one.id, one])).values()];
}

/** Registers the replies of the cases. */
export function registerReplies(cases: readonly ExchangeCase[], { replies }: Simulator): void {
  for (const { id, exchange } of distinct(cases)) replies.set(id, exchange.reply);
}

/** A refusal may be of the key: its case has a provider of its own. */
function isRefusal({ exchange }: ExchangeCase): boolean {
  return (exchange.reply.status ?? 200) >= 400;
}

function providerOf(one: ExchangeCase): string {
  return isRefusal(one) ? `exchange-${one.id}` : `exchange-${one.vendor}`;
}

function providerEntry(one: ExchangeCase, simulatorUrl: string): object {
  const { kind = "openai", path = "/v1", provider } = exchangeVendors[one.vendor];
  const own = isRefusal(one) ? `/as/${one.id}` : "";
  const key = kind === "bedrock" ? {} : { api_key_env: "TEST_PROVIDER_KEY" };
  const base_url = `${simulatorUrl}${own}${path}`;
  return { kind, base_url, timeout_seconds: 5, ...key, ...provider };
}
