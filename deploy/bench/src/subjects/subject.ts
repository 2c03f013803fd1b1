/** The subjects of the benchmark, in the order of its tables. */
export const subjectNames = ["simulator", "bare", "all", "fleet", "portkey", "bifrost"] as const;
export type SubjectName = (typeof subjectNames)[number];

/** A server of chat completions and its processes, whose CPU and memory are measured. */
export interface Subject {
  name: SubjectName;
  title: string;
  url: string;
  /** The headers of a request besides its content type. */
  headers: Readonly<Record<string, string>>;
  pids: readonly number[];
}

/** Tollgate as one process or as a fleet. */
export interface Gateway extends Subject {
  keyId: string;
  accountId: string;
}

/** A subject that cannot run on this machine. */
export interface UnavailableSubject extends Pick<Subject, "name" | "title"> {
  reason: string;
}
