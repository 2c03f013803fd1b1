import { useQuery } from "@connectrpc/connect-query";
import { DiffLineKind } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Section } from "../../ui/screen.tsx";
import { SearchLink } from "../../ui/search-link.tsx";
import { Loaded } from "../../ui/states.tsx";
import { DiffLines } from "./diff-lines.tsx";
import { shownParts } from "./diff-parts.ts";

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
          {({ text: whole }) => <DiffLines parts={[{ lines: linesOf(whole), isGap: false }]} />}
        </Loaded>
      ) : (
        <Loaded query={diff}>{({ lines }) => <DiffLines parts={shownParts(lines)} />}</Loaded>
      )}
    </Section>
  );
}

function linesOf(text: string) {
  return text.split("\n").map((line) => ({ kind: DiffLineKind.SAME, text: line }));
}
