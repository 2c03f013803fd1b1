import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type AccountNames, useAccountNames } from "../../calls/use-account-names.ts";
import { useAccess } from "../../calls/use-session.ts";
import { formatMs } from "../../format/numbers.ts";
import { rangeOf } from "../../search/period.ts";
import { defined } from "../../search/read.ts";
import { requestFilterNames } from "../../search/requests-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager, useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { FindRequest } from "./find-request.tsx";

const route = getRouteApi("/app/requests");
const fallback = "7d";
const pageSize = 50;
/** How often the newest page is read again while it is shown. */
const refreshMs = 15_000;

/** The requests of a period, the newest first. */
export function Requests() {
  const search = route.useSearch();
  const { isCustomer } = useAccess();
  const change = useSearchChange();
  const range = rangeOf(search, fallback);
  const requests = useQuery(
    OperatorService.method.listRequests,
    {
      account: search.account ?? "",
      keyId: search.key ?? "",
      alias: search.model ?? "",
      provider: search.provider ?? "",
      routeType: search.route ?? "",
      ...{ plan: search.plan ?? "", tag: search.tag ?? "", owner: search.owner ?? "" },
      onlyFailed: search.failed ?? false,
      errorCode: search.error ?? "",
      from: timestampFromDate(range.from),
      to: timestampFromDate(range.to),
      limit: pageSize,
      beforeCursor: search.before ?? "",
    },
    {
      placeholderData: (previous) => previous,
      refetchInterval: search.before === undefined && refreshMs,
    },
  );
  const names = useAccountNames(requests.data?.requests.map(({ accountId }) => accountId));
  return (
    <Screen title="Requests" actions={<FindRequest />}>
      <div className="filters">
        <PeriodLinks search={search} fallback={fallback} hasDays />
        <FilterBar search={search} names={requestFilterNames} />
        <label className="filter">
          <input
            type="checkbox"
            checked={search.failed ?? false}
            onChange={(event) => change({ failed: event.target.checked ? true : undefined })}
          />
          Failed only
        </label>
        <Link to="/refusals" search={defined({ account: search.account, key: search.key })}>
          Refused requests
        </Link>
      </div>
      <Loaded query={requests} rows={14}>
        {({ requests, nextCursor }) =>
          requests.length === 0 && nextCursor === "" ? (
            <Empty icon="requests" title="No request matches">
              Choose a longer period, or remove a filter. Requests are stored for some days; their
              ledger entries are kept for ever.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Requests"
                columns={isCustomer ? columns : operatorColumns(names)}
                rows={requests}
                idOf={({ id }) => id}
              />
              <Pager before={search.before} next={nextCursor || undefined} />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

const columns: readonly DataColumn<RequestRecord>[] = [
  {
    header: timeHeader,
    cell: ({ id, occurredAt }) => (
      <Link to="/requests/$requestId" params={{ requestId: id }} className="row-link">
        <Time at={occurredAt} as="seconds" />
      </Link>
    ),
  },
  {
    header: "Status",
    cell: ({ errorCode }) =>
      errorCode === "" ? <Badge tone="good">Served</Badge> : <Badge tone="bad">{errorCode}</Badge>,
  },
  { header: "Model", cell: ({ alias }) => <span className="cut">{alias}</span> },
  {
    header: "Duration",
    align: "right",
    cell: ({ durationMs }) => <span className="number">{formatMs(durationMs)}</span>,
  },
  {
    header: "Charged",
    money: ({ chargedNanoUsd }) => chargedNanoUsd,
  },
];

function operatorColumns({ nameOf }: AccountNames): DataColumn<RequestRecord>[] {
  const account: DataColumn<RequestRecord> = {
    header: "Account",
    cell: ({ accountId }) => <span className="cut">{nameOf(accountId)}</span>,
  };
  const provider: DataColumn<RequestRecord> = {
    header: "Provider",
    isSecondary: true,
    cell: (request) => request.provider,
  };
  return [...columns.slice(0, 2), account, ...columns.slice(2, 3), provider, ...columns.slice(3)];
}
