import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { RequestOrder, type RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { formatMs } from "../../format/numbers.ts";
import { usageFilterOf } from "../../search/dimensions.ts";
import { pageSizeOf } from "../../search/list-search.ts";
import { rangeOf } from "../../search/period.ts";
import { defined } from "../../search/read.ts";
import { requestFilterNames, requestOrders } from "../../search/requests-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { OrderChoice } from "../../ui/order-choice.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager, useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { FindRequest } from "./find-request.tsx";

const route = getRouteApi("/app/requests");
const fallback = "7d";
/** How often the newest page is read again while it is shown. */
const refreshMs = 15_000;

const orders: Readonly<Record<keyof typeof requestOrders, RequestOrder>> = {
  newest: RequestOrder.UNSPECIFIED,
  oldest: RequestOrder.OLDEST,
  charged: RequestOrder.CHARGED,
  slowest: RequestOrder.DURATION,
};

/** The requests of a period. */
export function Requests() {
  const search = route.useSearch();
  const { order = "newest" } = search;
  const { isCustomer } = useAccess();
  const change = useSearchChange();
  const range = rangeOf(search, fallback);
  const limit = pageSizeOf(search);
  const requests = useQuery(
    OperatorService.method.listRequests,
    {
      account: search.account ?? "",
      ...usageFilterOf(search),
      onlyFailed: search.failed ?? false,
      errorCode: search.error ?? "",
      from: timestampFromDate(range.from),
      to: timestampFromDate(range.to),
      ...{ limit, order: orders[order] },
      beforeCursor: search.before ?? "",
    },
    {
      placeholderData: (previous) => previous,
      refetchInterval: search.before === undefined && order === "newest" && refreshMs,
    },
  );
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
        <OrderChoice orders={requestOrders} order={order} />
        <Link to="/refusals" search={defined({ account: search.account, key: search.key })}>
          Refused requests
        </Link>
      </div>
      {(order === "charged" || order === "slowest") && (
        <p className="quiet">Of the newest 5,000 requests of the period.</p>
      )}
      <Loaded query={requests} rows={14}>
        {({ requests, nextCursor, names }) =>
          requests.length === 0 && nextCursor === "" ? (
            <Empty icon="requests" title="No request matches">
              Choose a longer period, or remove a filter. Requests are stored for some days; their
              ledger entries are kept for ever.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Requests"
                columns={columnsWith(names, isCustomer)}
                rows={requests}
                idOf={({ id }) => id}
              />
              <Pager before={search.before} next={nextCursor || undefined} size={limit} />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

function columnsWith(
  names: Readonly<Record<string, string>>,
  isCustomer: boolean,
): DataColumn<RequestRecord>[] {
  const account: DataColumn<RequestRecord> = {
    header: "Account",
    cell: ({ accountId }) => <AccountLink id={accountId} names={names} />,
  };
  const key: DataColumn<RequestRecord> = {
    header: "Key",
    isSecondary: !isCustomer,
    cell: ({ keyId }) => keyId && <KeyLink id={keyId} names={names} />,
  };
  const provider: DataColumn<RequestRecord> = {
    header: "Provider",
    isSecondary: true,
    cell: (request) => request.provider,
  };
  return [
    ...outcomeColumns,
    ...(isCustomer ? [] : [account]),
    key,
    { header: "Model", cell: ({ alias }) => <span className="cut">{alias}</span> },
    ...(isCustomer ? [] : [provider]),
    ...sumColumns,
  ];
}

const outcomeColumns: readonly DataColumn<RequestRecord>[] = [
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
    cell: ({ errorCode, isPartial }) => {
      if (errorCode !== "") return <Badge tone="bad">{errorCode}</Badge>;
      return isPartial ? (
        <Badge tone="warn">Billed in part</Badge>
      ) : (
        <Badge tone="good">Served</Badge>
      );
    },
  },
];

const sumColumns: readonly DataColumn<RequestRecord>[] = [
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
