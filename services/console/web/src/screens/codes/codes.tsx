import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type CodeBatch, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { formatCount } from "../../format/numbers.ts";
import { dateOf } from "../../format/time.ts";
import { pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";

const route = getRouteApi("/app/codes");

/** The batches of codes that add credit. */
export function CodesScreen() {
  const search = route.useSearch();
  const batches = useQuery(
    OperatorService.method.listCodeBatches,
    { ...timedPageOf(search), beforeBatchId: search.before ?? "" },
    { placeholderData: (previous) => previous },
  );
  return (
    <Screen title="Codes" parent={<Link to="/payments">Payments</Link>}>
      <TimedListFilters label="Search by name or id" search={search} />
      <Loaded query={batches}>
        {({ batches, nextBatchId }) =>
          batches.length === 0 && nextBatchId === "" ? (
            <Empty
              icon="payments"
              title={search.q === undefined ? "No codes yet" : "No code matches"}
            >
              The command tollgate code create makes codes, each of which adds credit once.
            </Empty>
          ) : (
            <>
              <DataTable caption="Codes" columns={columns} rows={batches} idOf={({ id }) => id} />
              <Pager
                before={search.before}
                next={nextBatchId || undefined}
                size={pageSizeOf(search)}
              />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

const columns: readonly DataColumn<CodeBatch>[] = [
  {
    header: "Codes",
    cell: ({ id, name }) => (
      <strong className="cut" title={id}>
        {name || id}
      </strong>
    ),
  },
  { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
  {
    header: "State",
    cell: ({ revokedAt, expiresAt }) => {
      if (revokedAt) return <Badge tone="bad">revoked</Badge>;
      const isExpired = (dateOf(expiresAt)?.getTime() ?? 0) <= Date.now();
      return isExpired ? <Badge>expired</Badge> : <Badge tone="good">valid</Badge>;
    },
  },
  {
    header: "Expires",
    isSecondary: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} as="day" />,
  },
  {
    header: "Redeemed",
    align: "right",
    cell: ({ redeemed, codes }) => `${formatCount(redeemed)} of ${formatCount(codes)}`,
  },
  { header: "Credit of each", money: ({ creditNanoUsd }) => creditNanoUsd },
];
