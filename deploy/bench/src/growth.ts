import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { measureCost } from "./cost.ts";
import { fillConversations, fillEntries, fillKeys, keyText } from "./fill.ts";
import { expectedContent, openJsonLoad, type RequestParts } from "./json-load.ts";
import { median } from "./statistics.ts";
import type { Gateway } from "./subject.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";
import type { JsonWorkload } from "./workload.ts";

/**
 * `npm run bench:growth`: measures what a request to `--target all` costs with a large amount of
 * data, as a ratio to its cost with little data. Both gateways run at once and are measured in
 * turns, so that the machine's state affects both. Smaller amounts, such as `--entries 1000000`,
 * take less time.
 */
const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "100000" },
    conversations: { type: "string", default: "1000000" },
    entries: { type: "string", default: "10000000" },
    aliases: { type: "string", default: "1000" },
    only: { type: "string", default: "keys,conversations,entries,aliases" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  },
});
const [keys, conversations, entries, aliases, rounds, seconds] = [
  values.keys,
  values.conversations,
  values.entries,
  values.aliases,
  values.rounds,
  values.seconds,
].map(Number) as [number, number, number, number, number, number];
const littleEntries = 10_000;
const littleAliases = 10;
/** Until V8 has compiled the hot code: the large gateway is new, the other one has run for long. */
const warmUpSeconds = 25;
/** Coprime to the counts, so that every number is used once, in a scattered order. */
const stride = 48_271;
const load: JsonWorkload = {
  kind: "json",
  name: "growth",
  clients: 64,
  promptBytes: 1_000,
  providerMs: 0,
};

type Vary = (request: RequestParts) => RequestParts;

/** A kind of data that grows. */
interface Growth {
  name: string;
  from: string;
  to: string;
  aliases?: number;
  fill(database: pg.Client, gateway: Gateway): Promise<void>;
  /** Changes the requests to both gateways. */
  vary?: Vary;
  /** Changes the requests to the large gateway instead; one measurement for each. */
  varyLarge?: readonly (Vary | undefined)[];
}

const unchanged: Vary = (request) => request;
const growths: Readonly<Record<string, Growth>> = {
  keys: {
    name: "keys",
    from: "1",
    to: show(keys),
    fill: (database, { accountId }) => fillKeys(database, accountId, keys),
    varyLarge: [unchanged, eachOf(keys, withKey)],
  },
  conversations: {
    name: "stored conversations, each request in a new one",
    from: "0",
    to: show(conversations),
    fill: (database, gateway) => fillConversations(database, gateway, conversations),
    vary: ({ headers, body }) => ({
      headers,
      body: `{"session_id":"${randomUUID()}",${body.slice(1)}`,
    }),
  },
  entries: {
    name: "ledger entries of the account",
    from: show(littleEntries),
    to: show(entries),
    fill: (database, { accountId }) => fillEntries(database, accountId, littleEntries, entries),
  },
  aliases: {
    name: "aliases in the catalog, all used",
    from: show(littleAliases),
    to: show(aliases),
    aliases,
    fill: async () => {},
    varyLarge: [eachOf(aliases - 2, withAlias)],
  },
};

await using testbed = await startTestbed();
const expected = await expectedContent(testbed.provider.url, load);
const little = await startFilled("bench_little", littleAliases);
say("| data | from | to | requests/s | gateway CPU per request | Postgres CPU per request |");
say("| --- | --: | --: | --: | --: | --: |");
for (const name of values.only.split(",")) {
  const growth = growths[name];
  if (growth === undefined) throw new Error(`--only takes ${Object.keys(growths).join(", ")}`);
  await showGrowth(name, growth);
}

async function showGrowth(name: string, growth: Growth): Promise<void> {
  const large = await startFilled(`bench_${name}`, growth.aliases ?? littleAliases, growth.fill);
  const { vary = unchanged, varyLarge = [vary] } = growth;
  for (const [index, varied] of varyLarge.entries()) {
    const suffix =
      varyLarge.length === 1 ? "" : [", one used", ", each request with another"][index];
    const ratios = await compare(large, vary, varied ?? vary);
    say(`| ${growth.name}${suffix} | ${growth.from} | ${growth.to} | ${ratios.join(" | ")} |`);
  }
  await large.stop();
}

/** Starts a gateway with its own database, a little data, and the data that `fill` adds. */
async function startFilled(database: string, aliasCount: number, fill?: Growth["fill"]) {
  const gateway = await startAll(testbed, { database, aliases: aliasCount });
  // The ledger's triggers find their tables by the search path.
  const options = "-c search_path=ledger";
  const client = new pg.Client({ connectionString: gateway.databaseUrl, options });
  await client.connect();
  try {
    await fillEntries(client, gateway.accountId, 0, littleEntries);
    await fill?.(client, gateway);
    // Keeps autovacuum and checkpoints out of the measurement.
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
  return gateway;
}

/** Returns the ratios of the large gateway to the other one: medians over the rounds. */
async function compare(large: Gateway, vary: Vary, varyLarge: Vary): Promise<string[]> {
  const baseLoad = openJsonLoad(little, load, expected, vary);
  const largeLoad = openJsonLoad(large, load, expected, varyLarge);
  await baseLoad.run(warmUpSeconds);
  await largeLoad.run(warmUpSeconds);
  const ratios: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const base = await measure(little, baseLoad);
    const grown = await measure(large, largeLoad);
    for (const [index, list] of ratios.entries())
      list.push((grown[index] ?? 0) / (base[index] || 1));
  }
  await baseLoad.close();
  await largeLoad.close();
  return ratios.map((list) => median(list).toFixed(2));
}

async function measure(gateway: Gateway, { run }: ReturnType<typeof openJsonLoad>) {
  const stores = [testbed.postgres.pid];
  const processes = { gateway: gateway.pids, stores, simulator: testbed.provider.pid };
  const { result, cost } = await measureCost(processes, () => run(seconds));
  const { requests, requestsPerSecond } = result;
  return [requestsPerSecond, cost.gatewayCpuMs / requests, cost.storesCpuMs / requests];
}

function eachOf(count: number, as: (request: RequestParts, n: number) => RequestParts): Vary {
  let n = 0;
  return (request) => {
    n = (n + stride) % count;
    return as(request, n);
  };
}

function withKey({ body }: RequestParts, n: number): RequestParts {
  return { headers: { authorization: `Bearer ${keyText(n)}` }, body };
}

function withAlias({ headers, body }: RequestParts, n: number): RequestParts {
  return { headers, body: body.replace('"bench"', `"bench-${n}"`) };
}

function show(count: number): string {
  return count.toLocaleString("en");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
