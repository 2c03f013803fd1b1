import type { MessageInitShape } from "@bufbuild/protobuf";
import { DiffLineKind, type DiffLineSchema } from "@tollgate/proto/tollgate/v1/catalog";
import { diffLines } from "diff";

/** Two texts with more differences than this are shown as one that replaces the other. */
const maxEdits = 10_000;

/** Returns all lines of two texts, with those that differ marked. */
export function diffTexts(from: string, to: string): MessageInitShape<typeof DiffLineSchema>[] {
  const changes = diffLines(from, to, { maxEditLength: maxEdits });
  if (changes === undefined) {
    return [...linesOf(from, DiffLineKind.REMOVED), ...linesOf(to, DiffLineKind.ADDED)];
  }
  return changes.flatMap(({ value, added, removed }) => {
    if (added) return linesOf(value, DiffLineKind.ADDED);
    return linesOf(value, removed ? DiffLineKind.REMOVED : DiffLineKind.SAME);
  });
}

function linesOf(text: string, kind: DiffLineKind) {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => ({ kind, text: line }));
}
