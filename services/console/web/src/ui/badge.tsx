import type { ReactNode } from "react";

export type Tone = "good" | "bad" | "warn" | "neutral" | "accent";

/** A state in one or two words. The word carries the meaning, and the colour repeats it. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
