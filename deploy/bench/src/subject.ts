/** What the benchmark compares, in the order of its tables. */
export const subjectNames = ["simulator", "bare", "all", "fleet", "portkey"] as const;
export type SubjectName = (typeof subjectNames)[number];

/** Something that answers chat completions, and the processes whose CPU and memory it costs. */
export interface Subject {
  name: SubjectName;
  title: string;
  url: string;
  /** What a request carries besides its content type. */
  headers: Readonly<Record<string, string>>;
  pids: readonly number[];
}

/** Tollgate, in either shape. */
export interface Gateway extends Subject {
  /** Where the operator's commands are taken. */
  operatorAddress: string;
  keyId: string;
  accountId: string;
}

/** A subject that this machine cannot have. */
export interface Absence {
  name: SubjectName;
  title: string;
  reason: string;
}
