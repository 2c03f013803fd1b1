import { cpus } from "node:os";
import type { FigureName, Figures, Result } from "./figures.ts";
import type { Plan } from "./plan.ts";
import type { Absence, Subject } from "./subject.ts";
import { bodySizes, streamCounts } from "./workload.ts";

/** All that a run found out. */
export interface Findings {
  plan: Plan;
  subjects: readonly Subject[];
  absent: readonly Absence[];
  results: readonly Result[];
  /** MiB of each subject, in their order. */
  idle: readonly number[];
  after: readonly number[];
}

/** The findings as Markdown. */
export function reportOf(findings: Findings): string {
  const measured = new Set(findings.results.map(({ workload }) => workload));
  const sizes = Object.keys(bodySizes).filter((size) => measured.has(`${size} saturated`));
  const counts = streamCounts.filter((count) => measured.has(`${count} streams`));
  const parts = [
    machine(findings),
    ...sizes.map((size) => jsonTable(findings, size)),
    ...counts.map((count) => streamTable(findings, count)),
    memoryTable(findings),
  ];
  return `${parts.join("\n\n")}\n`;
}

export function figuresOf({ results }: Findings, workload: string, { name }: Subject): Figures {
  return results.find((one) => one.workload === workload && one.subject === name)?.figures ?? {};
}

function machine(findings: Findings): string {
  const { plan, results, subjects } = findings;
  const [direct] = subjects;
  const own = direct && figuresOf(findings, results[0]?.workload ?? "", direct);
  const shares = own
    ? ` (in the first table ${show(own.simulatorCpuMs, 3)} ms of CPU a request of the ` +
      `simulator's and ${show(own.loadCpuMs, 3)} of the load's, asked directly)`
    : "";
  const medians = plan.rounds === 1 ? "one round" : `medians of ${plan.rounds} interleaved rounds`;
  return (
    `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, ${medians}. The ` +
    `simulator, the load and Postgres run on the same cores as the subject${shares}, so no ` +
    "subject has the machine to itself; the idle ones wait. Every answer is checked for its " +
    "content. Times with a + are what the subject adds to the simulator called directly."
  );
}

function jsonTable(findings: Findings, size: string): string {
  const head = [
    `JSON, ${size}`,
    "requests/s (64 clients)",
    "CPU ms a request",
    "Postgres, NATS",
    "p50 (1 client)",
    "p99",
    "p50 (64 clients, a provider of 100 ms)",
    "p99",
  ];
  const of = (load: string, name: FigureName, digits: number) =>
    column(findings, `${size} ${load}`, name, digits);
  const columns = [
    of("saturated", "requestsPerSecond", 0),
    of("saturated", "gatewayCpuMs", 3),
    ofStores(of("saturated", "storesCpuMs", 3)),
    added(findings, `${size} single`, "p50Ms"),
    added(findings, `${size} single`, "p99Ms"),
    added(findings, `${size} paced`, "p50Ms"),
    added(findings, `${size} paced`, "p99Ms"),
  ];
  return table(findings, head, columns, `${size} saturated`);
}

function streamTable(findings: Findings, count: number): string {
  const workload = `${count} streams`;
  const head = [
    `SSE, ${count} ${count === 1 ? "stream" : "streams"}, 50 chunks at 20 ms`,
    "first token p50",
    "p99",
    "largest gap ms",
    "lost",
    "reordered",
    "CPU ms a stream",
    "Postgres, NATS",
  ];
  const columns = [
    added(findings, workload, "firstTokenP50Ms"),
    added(findings, workload, "firstTokenP99Ms"),
    column(findings, workload, "largestGapMs", 0),
    column(findings, workload, "lost", 0),
    column(findings, workload, "reordered", 0),
    column(findings, workload, "gatewayCpuMs", 2),
    ofStores(column(findings, workload, "storesCpuMs", 2)),
  ];
  return table(findings, head, columns, workload);
}

function memoryTable(findings: Findings): string {
  const head = ["Memory, MiB", "idle", "most under load", "after"];
  const peak = (subject: Subject) =>
    Math.max(
      0,
      ...findings.results
        .filter(({ subject: name }) => name === subject.name)
        .map(({ figures }) => figures.peakMebibytes ?? 0),
    ).toFixed(0);
  const at = (list: readonly number[]) => (_: Subject, index: number) => show(list[index], 0);
  return table(findings, head, [at(findings.idle), peak, at(findings.after)]);
}

type Column = (subject: Subject, index: number) => string;

function column(findings: Findings, workload: string, name: FigureName, digits: number): Column {
  return (subject) => show(figuresOf(findings, workload, subject)[name], digits);
}

/** Only Tollgate has stores; what they use up while others are measured is their housekeeping. */
function ofStores(cell: Column): Column {
  return (subject, index) => ("operatorAddress" in subject ? cell(subject, index) : "");
}

/** The simulator's own time, and for the others what comes on top of it. */
function added(findings: Findings, workload: string, name: FigureName): Column {
  const [direct] = findings.subjects;
  const base = (direct && figuresOf(findings, workload, direct)[name]) ?? 0;
  return (subject) => {
    const value = figuresOf(findings, workload, subject)[name];
    if (subject === direct || value === undefined) return show(value, 2);
    return `${value < base ? "" : "+"}${(value - base).toFixed(2)}`;
  };
}

function table(
  { subjects, absent, results }: Findings,
  head: readonly string[],
  columns: readonly Column[],
  workload = "",
): string {
  const blanks = columns.slice(1).map(() => "");
  const rows = subjects.map((subject, index) => {
    const failed = results.find(
      (one) => one.workload === workload && one.subject === subject.name && one.failure !== "",
    );
    if (failed) return [subject.title, `failed: ${failed.failure}`, ...blanks];
    return [subject.title, ...columns.map((cell) => cell(subject, index))];
  });
  const missing = absent.map(({ title, reason }) => [title, reason, ...blanks]);
  const rule = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, rule, ...rows, ...missing].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function show(value: number | undefined, digits: number): string {
  return value === undefined ? "" : value.toFixed(digits);
}
