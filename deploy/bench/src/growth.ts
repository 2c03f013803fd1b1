import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { fillConversations, fillEntries, fillKeys, keyText } from "./fill.ts";
import { expectedAnswer, openJsonLoad, type Sending } from "./json-load.ts";
import { metered } from "./meter.ts";
import { openStage } from "./stage.ts";
import { median } from "./statistics.ts";
import type { Gateway } from "./subject.ts";
import { startAll } from "./tollgate.ts";
import type { JsonWorkload } from "./workload.ts";

/**
 * `npm run bench:growth`: what a request to `--target all` costs when there is much of everything,
 * as a ratio to what it costs when there is little: of the same moment, since both gateways are up
 * and take turns. With `--entries 1000000` and the like there is less, and less to wait for.
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
/** Until V8 has compiled what is hot: the grown gateway is new, the other has run for long. */
const warmUpSeconds = 25;
/** Takes the numbers up to the next power of ten in an order that looks like none. */
const stride = 48_271;
const load: JsonWorkload = {
  kind: "json",
  name: "growth",
  clients: 64,
  promptBytes: 1_000,
  providerMs: 0,
};

type Vary = (sending: Sending) => Sending;

/** Something there is more and more of. */
interface Growth {
  name: string;
  from: string;
  to: string;
  aliases?: number;
  fill(database: pg.Client, gateway: Gateway): Promise<void>;
  /** What the requests to both gateways are like; as they all are when it is left out. */
  vary?: Vary;
  /** What those to the grown gateway are like instead, one after the other. */
  varyGrown?: readonly (Vary | undefined)[];
}

const same: Vary = (sending) => sending;
const growths: Readonly<Record<string, Growth>> = {
  keys: {
    name: "keys",
    from: "1",
    to: show(keys),
    fill: (database, { accountId }) => fillKeys(database, accountId, keys),
    varyGrown: [same, eachOf(keys, withKey)],
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
    varyGrown: [eachOf(aliases - 2, withAlias)],
  },
};

await using stage = await openStage();
const expected = await expectedAnswer(stage.provider.url, load);
const little = await startFilled("bench_little", littleAliases);
say("| what grows | from | to | requests/s | CPU a request | Postgres' |");
say("| --- | --: | --: | --: | --: | --: |");
for (const name of values.only.split(",")) {
  const growth = growths[name];
  if (growth === undefined) throw new Error(`--only takes ${Object.keys(growths).join(", ")}`);
  await showGrowth(name, growth);
}

async function showGrowth(name: string, growth: Growth): Promise<void> {
  const grown = await startFilled(`bench_${name}`, growth.aliases ?? littleAliases, growth.fill);
  const { vary = same, varyGrown = [vary] } = growth;
  for (const [index, varied] of varyGrown.entries()) {
    const suffix =
      varyGrown.length === 1 ? "" : [", one used", ", each request with another"][index];
    const ratios = await compare(grown, vary, varied ?? vary);
    say(`| ${growth.name}${suffix} | ${growth.from} | ${growth.to} | ${ratios.join(" | ")} |`);
  }
  await grown.stop();
}

/** A gateway of its own database, with little in it and then what `fill` adds. */
async function startFilled(database: string, aliasCount: number, fill?: Growth["fill"]) {
  const gateway = await startAll(stage, { database, aliases: aliasCount });
  // The ledger's triggers find their tables by the search path.
  const options = "-c search_path=ledger";
  const client = new pg.Client({ connectionString: gateway.databaseUrl, options });
  await client.connect();
  try {
    await fillEntries(client, gateway.accountId, 0, littleEntries);
    await fill?.(client, gateway);
    // So that neither housekeeping nor writing back what was filled falls into the measurement.
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
  return gateway;
}

/** How the grown gateway fares, the other being 1: the medians over the rounds. */
async function compare(grown: Gateway, vary: Vary, varyGrown: Vary): Promise<string[]> {
  const baseLoad = openJsonLoad(little, load, expected, vary);
  const grownLoad = openJsonLoad(grown, load, expected, varyGrown);
  await baseLoad.run(warmUpSeconds);
  await grownLoad.run(warmUpSeconds);
  const ratios: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const base = await measure(little, baseLoad);
    const now = await measure(grown, grownLoad);
    for (const [index, list] of ratios.entries()) list.push((now[index] ?? 0) / (base[index] || 1));
  }
  await baseLoad.close();
  await grownLoad.close();
  return ratios.map((list) => median(list).toFixed(2));
}

async function measure(gateway: Gateway, { run }: ReturnType<typeof openJsonLoad>) {
  const stores = [stage.postgres.pid];
  const processes = { gateway: gateway.pids, stores, simulator: stage.provider.pid };
  const { given, cost } = await metered(processes, () => run(seconds));
  const { requests, requestsPerSecond } = given;
  return [requestsPerSecond, cost.gatewayCpuMs / requests, cost.storesCpuMs / requests];
}

function eachOf(count: number, as: (sending: Sending, n: number) => Sending): Vary {
  let n = 0;
  return (sending) => {
    n = (n + stride) % count;
    return as(sending, n);
  };
}

function withKey({ body }: Sending, n: number): Sending {
  return { headers: { authorization: `Bearer ${keyText(n)}` }, body };
}

function withAlias({ headers, body }: Sending, n: number): Sending {
  return { headers, body: body.replace('"bench"', `"bench-${n}"`) };
}

function show(count: number): string {
  return count.toLocaleString("en");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
