import { parseArgs } from "node:util";
import { type SubjectName, subjectNames } from "./subject.ts";
import { jsonWorkloads, streamWorkloads, type Workload } from "./workload.ts";

/** What a run of the benchmark does. */
export interface Plan {
  subjects: ReadonlySet<SubjectName>;
  workloads: readonly Workload[];
  /** Each takes every subject in turn, so that a drift of the machine meets them all. */
  rounds: number;
  /**
   * How long each subject is under load before anything is measured: V8 compiles what is hot only
   * after thousands of requests, and until then they cost up to twice as much.
   */
  heatSeconds: number;
  warmUpSeconds: number;
  jsonSeconds: number;
  /** How many streams each client reads. */
  streamsEach(clients: number): number;
  /** How long memory is left alone before it is measured again. */
  restSeconds: number;
  /** Whether docs/benchmarks.md is written. */
  write: boolean;
}

const thorough = {
  rounds: 3,
  heatSeconds: 25,
  warmUpSeconds: 1,
  jsonSeconds: 4,
  streamsEach: (clients: number) => (clients === 1 ? 10 : 3),
  restSeconds: 10,
};

const quick = {
  rounds: 1,
  heatSeconds: 4,
  warmUpSeconds: 0.3,
  jsonSeconds: 1.5,
  streamsEach: (clients: number) => (clients === 1 ? 2 : 1),
  restSeconds: 2,
};

/** What a quick run leaves out. */
const slow: ReadonlySet<string> = new Set(["100 KB single", "100 KB paced", "1 streams"]);

/** Reads the flags. Raises an Error that says what is wrong with them. */
export function readPlan(args: string[]): Plan {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      subjects: { type: "string", default: subjectNames.join(",") },
      rounds: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const pace = values.quick ? quick : thorough;
  return {
    ...pace,
    rounds: Number(values.rounds ?? pace.rounds),
    subjects: new Set(values.subjects.split(",").map(readSubject)),
    workloads: workloadsOf(values.only).filter(({ name }) => !values.quick || !slow.has(name)),
    write: values.write,
  };
}

function readSubject(text: string): SubjectName {
  const name = subjectNames.find((one) => one === text);
  if (name !== undefined) return name;
  throw new Error(`--subjects takes ${subjectNames.join(", ")}, not ${text}`);
}

function workloadsOf(only: string | undefined): readonly Workload[] {
  if (only === undefined) return [...jsonWorkloads, ...streamWorkloads];
  if (only === "json") return jsonWorkloads;
  if (only === "sse") return streamWorkloads;
  throw new Error(`--only takes json or sse, not ${only}`);
}
