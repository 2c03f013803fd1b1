import {
  type CatalogProcess,
  type CatalogRevision,
  CatalogSource,
  type DiffLine,
  DiffLineKind,
} from "@tollgate/proto/tollgate/v1/catalog";
import type { TableColumn } from "./table.ts";
import { isoTime, shortTime } from "./times.ts";

/** How many lines around a difference are printed. */
const contextLines = 3;

/** Returns how many processes serve the newest catalog, such as "8 of 9 processes". */
export function currentText(processes: readonly CatalogProcess[]): string {
  const current = processes.filter(({ isCurrent }) => isCurrent).length;
  return `${current} of ${processes.length} processes`;
}

/** Returns a line for each process that does not serve the newest catalog. */
export function lagging(processes: readonly CatalogProcess[]): string[] {
  return processes
    .filter(({ isCurrent }) => !isCurrent)
    .map(({ name, source, revision, refusal }) => {
      const serves = source === CatalogSource.FILE ? "another file" : `revision ${revision}`;
      const why = refusal === undefined ? "" : `; refuses the newest: ${refusal.reason}`;
      return `${name} serves ${serves}${why}`;
    });
}

/** The columns of a list of revisions. */
export const revisionColumns: TableColumn<CatalogRevision>[] = [
  { title: "REVISION", cell: ({ revision }) => String(revision) },
  { title: "PUBLISHED", cell: ({ publishedAt }) => shortTime(publishedAt), align: "left" },
  { title: "BY", cell: authorText, align: "left" },
  { title: "MODELS", cell: ({ models }) => String(models), rank: 1 },
  { title: "REASON", cell: reasonText, align: "left" },
];

function authorText({ authorKind, authorName }: CatalogRevision): string {
  return authorName === "" ? authorKind : authorName;
}

function reasonText({ reason, restoresRevision }: CatalogRevision): string {
  const restored = restoresRevision === 0n ? "" : `restores ${restoresRevision}`;
  return [restored, reason].filter(Boolean).join(": ");
}

/** Returns a revision on one line. */
export function revisionLine(revision: CatalogRevision): string {
  const { revision: number, publishedAt } = revision;
  const reason = reasonText(revision);
  const by = `by ${authorText(revision)} at ${isoTime(publishedAt)}`;
  return `revision ${number} ${by}${reason === "" ? "" : `: ${reason}`}`;
}

const marks: Readonly<Record<DiffLineKind, string>> = {
  [DiffLineKind.UNSPECIFIED]: " ",
  [DiffLineKind.SAME]: " ",
  [DiffLineKind.REMOVED]: "-",
  [DiffLineKind.ADDED]: "+",
};

/** Returns the lines that differ, with some around them. */
export function diffLines(lines: readonly DiffLine[]): string[] {
  const changed = lines.flatMap(({ kind }, index) => (kind === DiffLineKind.SAME ? [] : [index]));
  if (changed.length === 0) return ["no differences"];
  const shown = new Set<number>();
  for (const index of changed) {
    for (let near = index - contextLines; near <= index + contextLines; near += 1) shown.add(near);
  }
  return lines.flatMap(({ kind, text }, index) => {
    if (!shown.has(index)) return [];
    const isGap = index > 0 && !shown.has(index - 1);
    return [...(isGap ? ["…"] : []), `${marks[kind]} ${text}`.trimEnd()];
  });
}

export function diffJson({ kind, text }: DiffLine) {
  return { kind: DiffLineKind[kind].toLowerCase(), text };
}

export function revisionJson(revision: CatalogRevision) {
  const { authorKind, authorId, authorName, reason, restoresRevision } = revision;
  return {
    revision: Number(revision.revision),
    published_at: isoTime(revision.publishedAt),
    author: { kind: authorKind, id: authorId, name: authorName },
    reason,
    restores_revision: restoresRevision === 0n ? null : Number(restoresRevision),
    models: revision.models,
    providers: revision.providers,
  };
}

export function processJson(process: CatalogProcess) {
  const { name, services, source, revision, textHash, refusal, seenAt, isCurrent } = process;
  return {
    ...{ name, services, source: sourceText(source) },
    revision: source === CatalogSource.FILE ? null : Number(revision),
    text_hash: textHash,
    refusal: refusal === undefined ? null : { reason: refusal.reason },
    seen_at: isoTime(seenAt),
    is_current: isCurrent,
  };
}

export function sourceText(source: CatalogSource): string {
  return source === CatalogSource.FILE ? "file" : "database";
}
