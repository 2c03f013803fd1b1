import { parseArgs } from "node:util";
import { type SubjectName, subjectNames } from "./subject.ts";
import { jsonWorkloads, streamWorkloads, type Workload } from "./workload.ts";

/** The settings of a benchmark run. */
export interface Plan {
  subjects: ReadonlySet<SubjectName>;
  workloads: readonly Workload[];
  /** Each round measures every subject, so that drift of the machine affects all of them. */
  rounds: number;
  /**
   * How long each subject is under load before the first measurement: V8 compiles hot code only
   * after thousands of requests, which cost up to twice as much until then.
   */
  jitWarmUpSeconds: number;
  warmUpSeconds: number;
  jsonSeconds: number;
  /** Returns how many streams each client reads. */
  streamsEach(clients: number): number;
  /** How long the subjects are idle before memory is measured. */
  restSeconds: number;
  /** Whether docs/benchmarks.md is written. */
  write: boolean;
}

const thorough = {
  rounds: 3,
  jitWarmUpSeconds: 25,
  warmUpSeconds: 1,
  jsonSeconds: 4,
  streamsEach: (clients: number) => (clients === 1 ? 10 : 3),
  restSeconds: 10,
};

const quick = {
  rounds: 1,
  jitWarmUpSeconds: 4,
  warmUpSeconds: 0.3,
  jsonSeconds: 1.5,
  streamsEach: (clients: number) => (clients === 1 ? 2 : 1),
  restSeconds: 2,
};

/** Bifrost has to be built, which takes minutes: it runs only with `--with bifrost`. */
const defaultSubjects = subjectNames.filter((name) => name !== "bifrost");

/** Workloads that a quick run omits. */
const slow: ReadonlySet<string> = new Set(["100 KB single", "100 KB paced", "1 streams"]);

/** Reads the flags. Throws an Error that names an invalid flag. */
export function readPlan(args: string[]): Plan {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      subjects: { type: "string", default: defaultSubjects.join(",") },
      with: { type: "string", multiple: true, default: [] },
      rounds: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const base = values.quick ? quick : thorough;
  return {
    ...base,
    rounds: Number(values.rounds ?? base.rounds),
    subjects: new Set([...values.subjects.split(","), ...values.with].map(readSubject)),
    workloads: workloadsOf(values.only).filter(({ name }) => !values.quick || !slow.has(name)),
    write: values.write,
  };
}

function readSubject(text: string): SubjectName {
  const name = subjectNames.find((one) => one === text);
  if (name !== undefined) return name;
  throw new Error(`--subjects and --with take ${subjectNames.join(", ")}, not ${text}`);
}

function workloadsOf(only: string | undefined): readonly Workload[] {
  if (only === undefined) return [...jsonWorkloads, ...streamWorkloads];
  if (only === "json") return jsonWorkloads;
  if (only === "sse") return streamWorkloads;
  throw new Error(`--only takes json or sse, not ${only}`);
}
