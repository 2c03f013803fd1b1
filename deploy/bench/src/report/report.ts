import { cpus } from "node:os";
import type { Plan } from "../compare/plan.ts";
import { bodySizes, streamCounts } from "../load/workload.ts";
import type { Subject, SubjectName, UnavailableSubject } from "../subjects/subject.ts";
import type { FigureName, Figures, Result } from "./figures.ts";

/** The results of a run. */
export interface Findings {
  plan: Plan;
  subjects: readonly Subject[];
  unavailable: readonly UnavailableSubject[];
  results: readonly Result[];
  /** MiB of each subject, in the order of `subjects`. */
  idle: readonly number[];
  after: readonly number[];
}

/** Formats the findings as Markdown. */
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
    ? ` (called directly, as in the first table, the simulator takes ` +
      `${show(own.simulatorCpuMs, 3)} ms of CPU per request and the load ` +
      `${show(own.loadCpuMs, 3)} ms)`
    : "";
  const medians = plan.rounds === 1 ? "one round" : `medians of ${plan.rounds} interleaved rounds`;
  return (
    `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, ${medians}. The ` +
    `simulator, the load and Postgres share the cores with the measured subject${shares}. The ` +
    "other subjects are idle. The content of every response is checked. Times with a + are what " +
    "the subject adds to the simulator called directly."
  );
}

function jsonTable(findings: Findings, size: string): string {
  const head =
    `JSON, ${size} | requests/s (64 clients) | CPU ms per request | × bare | Postgres, NATS | ` +
    "p50 (1 client) | p99 | p50 (64 clients, 100 ms provider) | p99";
  const of = (load: string, name: FigureName, digits: number) =>
    column(findings, `${size} ${load}`, name, digits);
  const columns = [
    of("saturated", "requestsPerSecond", 0),
    of("saturated", "gatewayCpuMs", 3),
    timesBare(findings, `${size} saturated`),
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
  const head =
    `SSE, ${count} ${count === 1 ? "stream" : "streams"}, 50 chunks at 20 ms | first token p50 | ` +
    "p99 | largest gap ms | lost | reordered | CPU ms per stream | × bare | Postgres, NATS";
  const columns = [
    added(findings, workload, "firstTokenP50Ms"),
    added(findings, workload, "firstTokenP99Ms"),
    column(findings, workload, "largestGapMs", 0),
    column(findings, workload, "lost", 0),
    column(findings, workload, "reordered", 0),
    column(findings, workload, "gatewayCpuMs", 2),
    timesBare(findings, workload),
    ofStores(column(findings, workload, "storesCpuMs", 2)),
  ];
  return table(findings, head, columns, workload);
}

function memoryTable(findings: Findings): string {
  const head = "Memory, MiB | idle | peak under load | after";
  const peak = ({ name }: Subject) => {
    const own = findings.results.filter(({ subject }) => subject === name);
    return Math.max(0, ...own.map(({ figures }) => figures.peakMebibytes ?? 0)).toFixed(0);
  };
  const at = (list: readonly number[]) => (_: Subject, index: number) => show(list[index], 0);
  return table(findings, head, [at(findings.idle), peak, at(findings.after)]);
}

type Column = (subject: Subject, index: number) => string;

function column(findings: Findings, workload: string, name: FigureName, digits: number): Column {
  return (subject) => show(figuresOf(findings, workload, subject)[name], digits);
}

/** Shows the CPU of each gateway as a multiple of the bare proxy's. */
function timesBare(findings: Findings, workload: string): Column {
  const bare = findings.subjects.find(({ name }) => name === "bare");
  const base = bare && figuresOf(findings, workload, bare).gatewayCpuMs;
  return (subject) => {
    const value = figuresOf(findings, workload, subject).gatewayCpuMs;
    if (base === undefined || value === undefined || subject.name === "simulator") return "";
    return (value / base).toFixed(1);
  };
}

/** Subjects that use the stores. While another subject is measured, the stores do background work. */
const withStores: ReadonlySet<SubjectName> = new Set(["all", "fleet", "bifrost"]);

function ofStores(cell: Column): Column {
  return (subject, index) => (withStores.has(subject.name) ? cell(subject, index) : "");
}

/** Shows the simulator's own time, and for the others what they add to it. */
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
  { subjects, unavailable, results }: Findings,
  head: string,
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
  const missing = unavailable.map(({ title, reason }) => [title, reason, ...blanks]);
  const rule = ["---", ...columns.map(() => "--:")];
  return [[head], rule, ...rows, ...missing].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function show(value: number | undefined, digits: number): string {
  return value === undefined ? "" : value.toFixed(digits);
}
