import { type DiffLine, DiffLineKind } from "@tollgate/proto/tollgate/v1/catalog";

type Line = Pick<DiffLine, "kind" | "text">;

/** Lines that follow one another. */
export interface DiffPart {
  lines: readonly Line[];
  /** Whether lines before it are left out. */
  isGap: boolean;
}

/** How many unchanged lines are shown around a change. */
const contextLines = 3;

/** Returns the lines that have changed, with those around them. */
export function shownParts(lines: readonly Line[]): DiffPart[] {
  const shown = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === DiffLineKind.SAME) continue;
    for (let near = index - contextLines; near <= index + contextLines; near += 1) shown.add(near);
  }
  const parts: { lines: Line[]; isGap: boolean }[] = [];
  for (const [index, line] of lines.entries()) {
    if (!shown.has(index)) continue;
    const isNext = index > 0 && shown.has(index - 1);
    if (isNext) parts.at(-1)?.lines.push(line);
    else parts.push({ lines: [line], isGap: index > 0 });
  }
  return parts;
}
