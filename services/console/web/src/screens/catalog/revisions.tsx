import { useQuery } from "@connectrpc/connect-query";
import type { CatalogRevision } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager, SearchLink } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

const pageSize = 50;

interface Props {
  before: string | undefined;
  /** The revision whose differences are shown. */
  shown: string | undefined;
}

/** The revisions that were published. */
export function Revisions({ before, shown }: Props) {
  const read = useQuery(OperatorService.method.listCatalogRevisions, {
    limit: pageSize,
    beforeRevision: BigInt(before ?? 0),
  });
  return (
    <Section title="Revisions" note="the newest first">
      <Loaded query={read}>
        {({ revisions, hasMore }) =>
          revisions.length === 0 ? (
            <Empty icon="models" title="Nothing was published yet">
              The command tollgate catalog import publishes a file.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Revisions of the catalog"
                columns={columnsWith(shown)}
                rows={revisions}
                idOf={({ revision }) => String(revision)}
              />
              <Pager
                before={before}
                next={hasMore ? String(revisions.at(-1)?.revision) : undefined}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsWith(shown: string | undefined): readonly DataColumn<CatalogRevision>[] {
  return [
    {
      header: "Revision",
      cell: ({ revision }) => (
        <SearchLink
          change={{ revision: String(revision) }}
          className="row-link"
          isCurrent={String(revision) === shown}
        >
          {String(revision)}
        </SearchLink>
      ),
    },
    { header: "Published (UTC)", cell: ({ publishedAt }) => <Time at={publishedAt} /> },
    {
      header: "By",
      cell: ({ authorKind, authorName, authorId }) =>
        authorKind === "local" ? "the machine's CLI" : authorName || authorId,
    },
    {
      header: "Reason",
      cell: ({ reason, restoresRevision }) => (
        <>
          {restoresRevision > 0n && <span className="quiet">restores {restoresRevision}. </span>}
          {reason}
        </>
      ),
    },
    { header: "Models", align: "right", isSecondary: true, cell: ({ models }) => models },
  ];
}
