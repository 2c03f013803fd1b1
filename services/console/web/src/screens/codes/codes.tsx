import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type CodeBatch, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { formatCount } from "../../format/numbers.ts";
import { dateOf } from "../../format/time.ts";
import { pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmedButton } from "../../ui/confirmed-button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { CreateCodes } from "./create-codes.tsx";

const route = getRouteApi("/app/codes");

/** The batches of codes that add credit. */
export function CodesScreen() {
  const search = route.useSearch();
  const { canChange } = useAccess();
  const creation = useOpen();
  const batches = useQuery(
    OperatorService.method.listCodeBatches,
    { ...timedPageOf(search), beforeBatchId: search.before ?? "" },
    { placeholderData: (previous) => previous },
  );
  return (
    <Screen
      title="Codes"
      parent={<Link to="/payments">Payments</Link>}
      actions={
        canChange && (
          <Button look="primary" icon="plus" onClick={creation.open}>
            Create codes
          </Button>
        )
      }
    >
      <TimedListFilters label="Search by name or id" search={search} />
      <Loaded query={batches}>
        {({ batches, nextBatchId }) =>
          batches.length === 0 && nextBatchId === "" ? (
            <Empty
              icon="payments"
              title={search.q === undefined ? "No codes yet" : "No code matches"}
            >
              A code adds credit, once, to the account that redeems it.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Codes"
                columns={canChange ? [...columns, revokeColumn] : columns}
                rows={batches}
                idOf={({ id }) => id}
              />
              <Pager
                before={search.before}
                next={nextBatchId || undefined}
                size={pageSizeOf(search)}
              />
            </>
          )
        }
      </Loaded>
      <CreateCodes key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
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
    cell: (batch) => {
      if (batch.revokedAt) return <Badge tone="bad">revoked</Badge>;
      return isExpired(batch) ? <Badge>expired</Badge> : <Badge tone="good">valid</Badge>;
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

const revokeColumn: DataColumn<CodeBatch> = {
  header: "Actions",
  align: "right",
  cell: (batch) => {
    const { id, name, codes, redeemed, revokedAt } = batch;
    if (revokedAt || isExpired(batch) || redeemed === codes) return null;
    return (
      <ConfirmedButton
        method={OperatorService.method.revokeCodes}
        request={{ batchId: id }}
        verb="Revoke"
        name={name || id}
        description="Those that are not redeemed add no credit from now on. Redeemed ones stay."
        submit="Revoke codes"
      />
    );
  },
};

function isExpired({ expiresAt }: CodeBatch): boolean {
  return (dateOf(expiresAt)?.getTime() ?? 0) <= Date.now();
}
