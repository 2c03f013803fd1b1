import { cpus } from "node:os";
import { type Figures, type Load, measure } from "./load.ts";
import { type Subject, startSubjects } from "./subject.ts";

/**
 * `npm run bench`: what the gateway adds to a provider, with holds and metering on. Every subject is
 * measured in turn, round after round, so that a drift of the machine meets them all; the medians of
 * the rounds are printed as a Markdown table.
 */
const rounds = 3;
const kilobyte = "The quick brown fox jumps over the lazy dog. ".repeat(20);
const messages = [{ role: "user", content: kilobyte }];
const model = "bench";

/** Saturated loads tell throughput and CPU; those with a slow provider tell the time that is added. */
const loads: readonly Load[] = [
  { name: "JSON, 8 clients", clients: 8, requests: 4_000, body: { model, messages } },
  {
    name: "JSON, 8 clients, provider takes 20 ms",
    clients: 8,
    requests: 800,
    body: { model, messages, metadata: { simulate: "delay_ms=20" } },
  },
  {
    name: "SSE, 8 clients, 50 chunks at once",
    clients: 8,
    requests: 1_000,
    body: { model, messages, stream: true, metadata: { simulate: "chunks=50" } },
  },
  {
    name: "SSE, 8 clients, 50 chunks at 5 ms",
    clients: 8,
    requests: 160,
    body: { model, messages, stream: true, metadata: { simulate: "chunks=50&gap_ms=5" } },
  },
];

const { subjects, databasePid, stop } = await startSubjects();
try {
  process.stdout.write(`${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, `);
  process.stdout.write(`medians of ${rounds} rounds\n`);
  for (const load of loads) await compare(load);
} finally {
  await stop();
}

async function compare(load: Load): Promise<void> {
  const results = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [subject, figures] of results)
      figures.push(await measure(subject, load, databasePid));
  }
  const medians = [...results].map(([subject, figures]) => ({ subject, ...medianOf(figures) }));
  const base = medians[0] as Figures;
  const rows = medians.map((figures, index) => [
    figures.subject.name,
    figures.requestsPerSecond.toFixed(0),
    index === 0 ? "" : figures.gatewayCpu.toFixed(3),
    index === 0 ? "" : figures.databaseCpu.toFixed(3),
    index === 0 ? figures.p50Ms.toFixed(2) : `+${(figures.p50Ms - base.p50Ms).toFixed(2)}`,
    index === 0 ? figures.p99Ms.toFixed(2) : `+${(figures.p99Ms - base.p99Ms).toFixed(2)}`,
    index === 0
      ? figures.firstByteP50Ms.toFixed(2)
      : `+${(figures.firstByteP50Ms - base.firstByteP50Ms).toFixed(2)}`,
  ]);
  const head = [
    load.name,
    "requests/s",
    "CPU-s per 1,000",
    "Postgres CPU-s per 1,000",
    "p50 ms",
    "p99 ms",
    "first byte p50 ms",
  ];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  process.stdout.write(`\n${lines.join("\n")}\n`);
}

function medianOf(figures: readonly Figures[]): Figures {
  const middle = (name: keyof Figures) => {
    const sorted = figures.map((one) => one[name]).sort((left, right) => left - right);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    requestsPerSecond: middle("requestsPerSecond"),
    gatewayCpu: middle("gatewayCpu"),
    databaseCpu: middle("databaseCpu"),
    p50Ms: middle("p50Ms"),
    p99Ms: middle("p99Ms"),
    firstByteP50Ms: middle("firstByteP50Ms"),
  };
}
