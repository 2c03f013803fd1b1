import { type DiffLine, DiffLineKind } from "@tollgate/proto/tollgate/v1/catalog";
import type { DiffPart } from "./diff-parts.ts";
import "./catalog.css";

const looks: Readonly<Record<DiffLineKind, string>> = {
  [DiffLineKind.UNSPECIFIED]: "same",
  [DiffLineKind.SAME]: "same",
  [DiffLineKind.REMOVED]: "removed",
  [DiffLineKind.ADDED]: "added",
};

/** Shows the lines of two texts that differ, with those around them. */
export function DiffLines({ parts }: { parts: readonly DiffPart[] }) {
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
