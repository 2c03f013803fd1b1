import { useQuery } from "@connectrpc/connect-query";
import { type DiffLine, DiffLineKind } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Section } from "../../ui/screen.tsx";
import { SearchLink } from "../../ui/search-link.tsx";
import { Loaded } from "../../ui/states.tsx";
import { type DiffPart, shownParts } from "./diff-parts.ts";
import "./catalog.css";

/** The differences between a revision and the one before it. */
export function RevisionDiff({ revision }: { revision: bigint }) {
  const isFirst = revision <= 1n;
  const diff = useQuery(
    OperatorService.method.getCatalogDiff,
    { fromRevision: revision - 1n, to: { case: "toRevision", value: revision } },
    { enabled: !isFirst },
  );
  const text = useQuery(
    OperatorService.method.getCatalogRevision,
    { revision },
    { enabled: isFirst },
  );
  return (
    <Section
      title={isFirst ? "Revision 1" : `Changes of revision ${revision}`}
      actions={<SearchLink change={{ revision: undefined }}>Close</SearchLink>}
    >
      {isFirst ? (
        <Loaded query={text}>
          {({ text: whole }) => <Lines parts={[{ lines: linesOf(whole), isGap: false }]} />}
        </Loaded>
      ) : (
        <Loaded query={diff}>{({ lines }) => <Lines parts={shownParts(lines)} />}</Loaded>
      )}
    </Section>
  );
}

function linesOf(text: string) {
  return text.split("\n").map((line) => ({ kind: DiffLineKind.SAME, text: line }));
}

const looks: Readonly<Record<DiffLineKind, string>> = {
  [DiffLineKind.UNSPECIFIED]: "same",
  [DiffLineKind.SAME]: "same",
  [DiffLineKind.REMOVED]: "removed",
  [DiffLineKind.ADDED]: "added",
};

function Lines({ parts }: { parts: readonly DiffPart[] }) {
  if (parts.length === 0) return <p className="quiet">The texts are the same.</p>;
  return (
    // A long line scrolls, which needs the keyboard's focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: axe requires it of what scrolls
    <section className="diff" tabIndex={0} aria-label="Changed lines">
      {parts.map(({ lines, isGap }, part) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
        <div key={part} className={isGap ? "diff-part after-gap" : "diff-part"}>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
            <Line key={index} line={line} />
          ))}
        </div>
      ))}
    </section>
  );
}

function Line({ line: { kind, text } }: { line: Pick<DiffLine, "kind" | "text"> }) {
  const look = looks[kind];
  const mark = look === "removed" ? "−" : "+";
  return (
    <div className={`diff-line ${look}`}>
      <span className="diff-mark">{look === "same" ? "" : mark}</span>
      <code>{text}</code>
    </div>
  );
}
