import type { JsonTimings } from "../load/json-load.ts";
import type { StreamTimings } from "../load/stream-load.ts";
import type { Cost } from "../machine/cost.ts";
import type { SubjectName } from "../subjects/subject.ts";
import { median } from "./statistics.ts";

/** CPU figures are per request or stream, summed over the gateway's processes. */
export type FigureName = Exclude<keyof (JsonTimings & StreamTimings & Cost), "count">;

export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** The figures of one subject in one workload: medians of its rounds, or why there are none. */
export interface Result {
  workload: string;
  subject: SubjectName;
  figures: Figures;
  failure: string;
}

/** Errors are summed over the rounds, because a median would hide them. */
const summed: ReadonlySet<string> = new Set<FigureName>(["lost", "reordered"]);

export function medianOf(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {}) as FigureName[];
  const entries = names.map((name) => {
    const values = rounds.map((figures) => figures[name] ?? 0);
    return [name, summed.has(name) ? values.reduce((sum, one) => sum + one, 0) : median(values)];
  });
  return Object.fromEntries(entries) as Figures;
}
