import { jsonWorkloads, streamWorkloads, type Workload } from "../load/workload.ts";
import { type SubjectName, subjectNames } from "../subjects/subject.ts";

/** The settings of a comparison of gateways. */
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
  /** Returns how long a measurement is. */
  secondsOf(workload: Workload): number;
  /** How long the subjects are idle before memory is measured. */
  restSeconds: number;
}

const thorough = {
  rounds: 3,
  jitWarmUpSeconds: 25,
  warmUpSeconds: 1,
  secondsOf: ({ kind, clients }: Workload) => (kind === "json" ? 4 : clients === 1 ? 10 : 3),
  restSeconds: 10,
};

const quick = {
  rounds: 1,
  jitWarmUpSeconds: 4,
  warmUpSeconds: 0.3,
  secondsOf: ({ kind, clients }: Workload) => (kind === "json" ? 1.5 : clients === 1 ? 2 : 1),
  restSeconds: 2,
};

/** Workloads that a quick run omits. */
const slow: ReadonlySet<string> = new Set(["100 KB single", "100 KB paced", "1 streams"]);

interface PlanFlags {
  quick: boolean;
  only: string | undefined;
  subjects: string;
  with: string | undefined;
  rounds: string | undefined;
}

/** Throws an Error that names an invalid flag. */
export function readPlan(flags: PlanFlags): Plan {
  const base = flags.quick ? quick : thorough;
  const names = [...flags.subjects.split(","), ...(flags.with?.split(",") ?? [])];
  return {
    ...base,
    rounds: Number(flags.rounds ?? base.rounds),
    subjects: new Set(names.map(readSubject)),
    workloads: [...jsonWorkloads, ...streamWorkloads].filter(
      ({ kind, name }) => (flags.only ?? kind) === kind && !(flags.quick && slow.has(name)),
    ),
  };
}

function readSubject(text: string): SubjectName {
  const name = subjectNames.find((one) => one === text);
  if (name !== undefined) return name;
  throw new Error(`--subjects and --with take ${subjectNames.join(", ")}, not ${text}`);
}
