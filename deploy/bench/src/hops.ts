import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "@tollgate/local/free-port";
import { type HopName, hopNames } from "./hops/hop.ts";
import { pacedMs, streamMessages } from "./hops/payload.ts";
import type { Load, LoadResult, WorkerRequest } from "./hops/worker.ts";
import { median } from "./statistics.ts";

/**
 * `npm run bench:hops`: measures what a call between two services costs over plain grpc-js, over
 * the gateway's multiplexed stream, and over HTTP/1.1 with keep-alive. Client and server are
 * separate processes. It takes about two minutes.
 *
 * How to read it: CPU is the sum of both processes, in microseconds per unary call of 1 KB each
 * way, or per stream of 50 messages that are sent in one burst or spread over 250 ms. Every figure
 * is the median over the rounds. The factor after it is the median over the rounds of the ratio to
 * plain grpc-js in the same round: below 1 is cheaper or faster. The rounds are interleaved, so
 * drift of the machine affects all hops; trust the factors rather than the absolute figures, and
 * compare only figures of one run. Times with 64 clients include queueing, because two busy
 * processes share the cores with everything else.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "1" },
    "warm-up": { type: "string", default: "8" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const warmUpSeconds = Number(values["warm-up"]);

const titles: Readonly<Record<HopName, string>> = {
  grpc: "plain grpc-js",
  mux: "multiplexed stream",
  http: "HTTP/1.1, undici to node:http",
};

const loads: readonly (Load & { title: string })[] = [
  { title: "unary, 1 client", kind: "unary", clients: 1, seconds },
  { title: "unary, 64 clients", kind: "unary", clients: 64, seconds },
  { title: "burst streams, 16 clients", kind: "burst", clients: 16, seconds },
  { title: `streams over ${pacedMs} ms, 32 clients`, kind: "paced", clients: 32, seconds },
];

interface Sample {
  cpuUs: number;
  p50Ms: number;
  p99Ms: number;
}

interface Ends {
  client: Worker;
  server: Worker;
}

const ends = await startAll();
try {
  process.stderr.write("warming up\n");
  for (const name of hopNames) {
    for (const { kind, clients } of loads.slice(1)) {
      await ends[name].client.request<LoadResult>({
        load: { kind, clients, seconds: warmUpSeconds / (loads.length - 1) },
      });
    }
  }
  const samples = loads.map(() => hopNames.map((): Sample[] => []));
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const [row, load] of loads.entries()) {
      for (const [column, name] of hopNames.entries()) {
        samples[row]?.[column]?.push(await measure(ends[name], load));
      }
    }
  }
  process.stdout.write(report(samples));
} finally {
  for (const { client, server } of Object.values(ends))
    for (const end of [client, server]) end.stop();
}

async function startAll(): Promise<Record<HopName, Ends>> {
  const entries = await Promise.all(
    hopNames.map(async (name) => {
      const port = await freePort();
      const server = await startWorker("server", name, port);
      return [name, { server, client: await startWorker("client", name, port) }] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<HopName, Ends>;
}

async function measure({ client, server }: Ends, load: Load): Promise<Sample> {
  const cpuUs = async () =>
    (await client.request<number>({ cpu: true })) + (await server.request<number>({ cpu: true }));
  const before = await cpuUs();
  const { calls, p50Ms, p99Ms } = await client.request<LoadResult>({ load });
  return { cpuUs: ((await cpuUs()) - before) / calls, p50Ms, p99Ms };
}

interface Worker {
  /** Sends one request and resolves with the response. */
  request<T>(request: WorkerRequest): Promise<T>;
  stop(): void;
}

async function startWorker(role: string, name: HopName, port: number): Promise<Worker> {
  const file = fileURLToPath(new URL("./hops/worker.ts", import.meta.url));
  const child: ChildProcess = fork(file, [role, name, String(port)]);
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the ${name} ${role} exited (${code})`);
  });
  failed.catch(() => {});
  const next = async () => {
    const [message] = await Promise.race([once(child, "message"), failed]);
    return message;
  };
  await next();
  return {
    async request(request) {
      const response = next();
      child.send(request);
      return response;
    },
    stop: () => child.disconnect(),
  };
}

function report(samples: readonly (readonly (readonly Sample[])[])[]): string {
  const lines = [
    `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, medians of ` +
      `${rounds} interleaved rounds; streams have ${streamMessages} messages`,
    "",
    `| | ${hopNames.map((name) => titles[name]).join(" | ")} |`,
    `| --- | ${hopNames.map(() => "--:").join(" | ")} |`,
  ];
  for (const [row, { title, kind }] of loads.entries()) {
    const columns = samples[row] ?? [];
    lines.push(rowOf(`${title}: CPU µs`, columns, "cpuUs", 0));
    if (kind !== "unary") continue;
    lines.push(rowOf(`${title}: p50 ms`, columns, "p50Ms", 2));
    lines.push(rowOf(`${title}: p99 ms`, columns, "p99Ms", 2));
  }
  return `${lines.join("\n")}\n`;
}

/** Returns a line of the table: the median of each hop, and its ratio to the first one. */
function rowOf(
  title: string,
  columns: readonly (readonly Sample[])[],
  figure: keyof Sample,
  digits: number,
): string {
  const [baseline = []] = columns;
  const cells = columns.map((column) => {
    const value = median(column.map((sample) => sample[figure])).toFixed(digits);
    if (column === baseline) return value;
    const ratios = column.map((sample, round) => sample[figure] / (baseline[round]?.[figure] ?? 0));
    return `${value} (×${median(ratios).toFixed(2)})`;
  });
  return `| ${title} | ${cells.join(" | ")} |`;
}
