import { useQuery } from "@connectrpc/connect-query";
import type { CatalogRevision } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager, SearchLink } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { RollBack } from "./roll-back.tsx";

const pageSize = 50;

interface Props {
  before: string | undefined;
  /** The revision whose differences are shown. */
  shown: string | undefined;
  /** 0: there is none, or the catalog is a file. */
  newest: bigint;
}

/** The revisions that were published. */
export function Revisions({ before, shown, newest }: Props) {
  const { canManage } = useAccess();
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
              Edit the catalog here, or publish a file by the command tollgate catalog import.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Revisions of the catalog"
                columns={[
                  ...columnsWith(shown),
                  ...(canManage && newest > 0n ? [rollBackColumn(newest)] : []),
                ]}
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

function rollBackColumn(newest: bigint): DataColumn<CatalogRevision> {
  return {
    header: "Actions",
    align: "right",
    cell: ({ revision }) => revision < newest && <RollBack revision={revision} newest={newest} />,
  };
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
    { header: "Published", cell: ({ publishedAt }) => <Time at={publishedAt} /> },
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
