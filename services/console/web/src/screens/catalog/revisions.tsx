import { useQuery } from "@connectrpc/connect-query";
import type { CatalogRevision } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { pageSizeOf, type TimedListSearch, timedPageOf } from "../../search/list-search.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager, SearchLink } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import { RollBack } from "./roll-back.tsx";

interface Props {
  search: TimedListSearch;
  /** The revision whose differences are shown. */
  shown: string | undefined;
  /** 0: there is none, or the catalog is a file. */
  newest: bigint;
}

/** The revisions that were published. */
export function Revisions({ search, shown, newest }: Props) {
  const { canManage } = useAccess();
  const read = useQuery(
    OperatorService.method.listCatalogRevisions,
    { ...timedPageOf(search), beforeRevision: BigInt(search.before ?? 0) },
    { placeholderData: (previous) => previous },
  );
  return (
    <Section title="Revisions">
      <TimedListFilters label="Search by number, reason or author" search={search} />
      <Loaded query={read}>
        {({ revisions, nextRevision }) =>
          revisions.length === 0 && nextRevision === 0n ? (
            <NoRevisions isSearched={search.q !== undefined} />
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
                before={search.before}
                next={nextRevision === 0n ? undefined : String(nextRevision)}
                size={pageSizeOf(search)}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function NoRevisions({ isSearched }: { isSearched: boolean }) {
  if (isSearched) return <Empty icon="models" title="No revision matches" />;
  return (
    <Empty icon="models" title="Nothing was published yet">
      Edit the catalog here, or publish a file by the command tollgate catalog import.
    </Empty>
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
