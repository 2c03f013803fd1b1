import { randomUUID } from "node:crypto";
import pg from "pg";
import { defineCommand } from "../command.ts";
import { fillConversations, fillKeys, fillLedger, keyText } from "../ledger/fill.ts";
import { expectedContent, openJsonLoad, type RequestParts } from "../load/json-load.ts";
import { type JsonWorkload, workloadNamed } from "../load/workload.ts";
import { measureCost, processesOf } from "../machine/cost.ts";
import { median } from "../report/statistics.ts";
import type { Gateway } from "../subjects/subject.ts";
import { startTestbed, type Testbed } from "../subjects/testbed.ts";
import { startAll } from "../subjects/tollgate.ts";

const littleEntries = 10_000;
const littleAliases = 10;
/** Until V8 has compiled the hot code: the large gateway is new, the other one has run for long. */
const warmUpSeconds = 25;
/** Coprime to the counts, so that every number is used once, in a scattered order. */
const stride = 48_271;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const load = workloadNamed("1 KB saturated") as JsonWorkload;

type Vary = (request: RequestParts) => RequestParts;

/** A kind of data that grows. */
interface Growth {
  title: string;
  from: number;
  to: number;
  entries?: number;
  aliases?: number;
  fill?(database: pg.Client, gateway: Gateway): Promise<void>;
  /** Change the requests to both gateways, and those to the large one instead. */
  vary?: Vary;
  varyLarge?: Vary;
}

export const growthCommand = defineCommand({
  name: "growth",
  about: "the cost of a request with many keys, conversations, ledger entries or aliases",
  details:
    "Measures what a request to one process costs with a large amount of data, as a ratio to its cost with\n" +
    "little. Both gateways run at once and are measured in turns.",
  flags: {
    only: { about: "a list of what grows", default: "keys,conversations,entries,aliases" },
    keys: { about: "keys of the account", default: "100000" },
    conversations: { about: "stored conversations", default: "1000000" },
    entries: { about: "ledger entries of the account", default: "10000000" },
    aliases: { about: "aliases in the catalog", default: "1000" },
    rounds: { about: "each measures both gateways", default: "5" },
    seconds: { about: "of one measurement", default: "4" },
  },
  async run(values) {
    const growths = growthsOf({
      keys: Number(values.keys),
      conversations: Number(values.conversations),
      entries: Number(values.entries),
      aliases: Number(values.aliases),
    });
    await using testbed = await startTestbed();
    const little = await startFilled(testbed, "bench_little", {
      fill: (database, { accountId }) => fillKeys(database, accountId, 1),
    });
    say("| data | from | to | requests/s | gateway CPU per request | Postgres CPU per request |");
    say("| --- | --: | --: | --: | --: | --: |");
    for (const name of values.only.split(",")) {
      const growth = growths[name];
      if (growth === undefined) throw new Error(`--only takes ${Object.keys(growths).join(", ")}`);
      const large = await startFilled(testbed, `bench_${name}`, growth);
      const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
      const ratios = await compare(testbed, { little, large }, growth, turns);
      const amounts = [growth.from, growth.to].map((count) => count.toLocaleString("en"));
      say(`| ${[growth.title, ...amounts, ...ratios].join(" | ")} |`);
      await large.stop();
    }
  },
});

type Counts = Readonly<Record<"keys" | "conversations" | "entries" | "aliases", number>>;

function growthsOf(counts: Counts): Readonly<Record<string, Growth>> {
  const { keys, conversations, entries, aliases } = counts;
  return {
    keys: {
      title: "keys, each request with another",
      ...{ from: 1, to: keys },
      fill: (database, { accountId }) => fillKeys(database, accountId, keys),
      vary: (request) => withKey(request, 0),
      varyLarge: scattered(keys, withKey),
    },
    conversations: {
      title: "stored conversations, each request in a new one",
      ...{ from: 0, to: conversations },
      fill: (database, gateway) => fillConversations(database, gateway, conversations),
      vary: ({ headers, body }) => {
        return { headers, body: `{"session_id":"${randomUUID()}",${body.slice(1)}` };
      },
    },
    entries: {
      title: "ledger entries of the account",
      ...{ from: littleEntries, to: entries, entries },
    },
    aliases: {
      title: "aliases in the catalog, all used",
      ...{ from: littleAliases, to: aliases, aliases },
      varyLarge: scattered(aliases, ({ headers, body }, n) => {
        return { headers, body: body.replace('"bench"', `"bench-${n}"`) };
      }),
    },
  };
}

/** Uses a key without limits. */
function withKey({ body }: RequestParts, n: number): RequestParts {
  return { headers: { authorization: `Bearer ${keyText(n)}` }, body };
}

function scattered(count: number, as: (request: RequestParts, n: number) => RequestParts): Vary {
  let n = 0;
  return (request) => {
    n = (n + stride) % count;
    return as(request, n);
  };
}

/** Starts a gateway with its own database, a little data, and what grows. */
async function startFilled(
  testbed: Testbed,
  database: string,
  { entries = littleEntries, aliases = littleAliases, fill }: Partial<Growth>,
) {
  const gateway = await startAll(testbed, { database, aliases });
  // The ledger's triggers find their tables by the search path.
  const options = "-c search_path=ledger";
  const client = new pg.Client({ connectionString: gateway.databaseUrl, options });
  await client.connect();
  try {
    const accountIds = [gateway.accountId];
    const shape = { entries, accountIds, keysPerAccount: 1, aliases: 1, untilMs: Date.now() };
    await fillLedger(client, shape);
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
async function compare(
  testbed: Testbed,
  { little, large }: { little: Gateway; large: Gateway },
  { vary, varyLarge = vary }: Growth,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<string[]> {
  const expected = await expectedContent(testbed.provider.url, load);
  const loads = [
    { gateway: little, ...openJsonLoad(little, load, expected, vary) },
    { gateway: large, ...openJsonLoad(large, load, expected, varyLarge) },
  ];
  for (const { run } of loads) await run(warmUpSeconds);
  const ratios: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const figures: number[][] = [];
    for (const { gateway, run } of loads) {
      const { result, cost } = await measureCost(processesOf(gateway, testbed), () => run(seconds));
      const { count, requestsPerSecond } = result;
      figures.push([requestsPerSecond, cost.gatewayCpuMs / count, cost.storesCpuMs / count]);
    }
    const [base = [], grown = []] = figures;
    for (const [at, list] of ratios.entries()) list.push((grown[at] ?? 0) / (base[at] || 1));
  }
  for (const { close } of loads) await close();
  return ratios.map((list) => median(list).toFixed(2));
}
