import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { useAccess } from "../../calls/use-session.ts";
import { pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import { refusalFilterNames } from "../../search/refusals-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import "./refusals.css";

const route = getRouteApi("/app/refusals");
const refreshMs = 15_000;

/** The requests that were refused before a provider was called, the newest first. */
export function RefusalsScreen() {
  const search = route.useSearch();
  const { isCustomer } = useAccess();
  const refusals = useQuery(
    OperatorService.method.listRefusals,
    {
      account: search.account ?? "",
      keyId: search.key ?? "",
      code: search.error ?? "",
      ...timedPageOf(search),
      beforeRequestId: search.before ?? "",
    },
    {
      placeholderData: (previous) => previous,
      refetchInterval: search.before === undefined && refreshMs,
    },
  );
  return (
    <Screen title="Refused requests" parent={<Link to="/requests">Requests</Link>}>
      <TimedListFilters label="Search by message, model, address or id" search={search}>
        <FilterBar search={search} names={refusalFilterNames} />
      </TimedListFilters>
      <Loaded query={refusals} rows={14}>
        {({ refusals, nextRequestId, names }) =>
          refusals.length === 0 && nextRequestId === "" ? (
            <Empty icon="check" title="No refused request matches">
              Records of refused requests are stored for some days. Of a flood, some are recorded
              and all are counted.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Refused requests"
                columns={columnsWith(names, isCustomer)}
                rows={refusals}
                idOf={({ requestId }) => requestId}
              />
              <Pager
                before={search.before}
                next={nextRequestId || undefined}
                size={pageSizeOf(search)}
              />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

const errorColumns: readonly DataColumn<RequestRefusal>[] = [
  {
    header: timeHeader,
    cell: ({ requestId, refusedAt }) => (
      <Link to="/requests/$requestId" params={{ requestId }} className="row-link">
        <Time at={refusedAt} as="seconds" />
      </Link>
    ),
  },
  {
    header: "Error",
    cell: ({ status, code, param }) => (
      <span className="refused-as">
        <Badge tone={status < 500 ? "warn" : "bad"}>{`${status} ${code}`}</Badge>
        {param && <code className="quiet cut">{param}</code>}
      </span>
    ),
  },
];

function columnsWith(
  names: Readonly<Record<string, string>>,
  isCustomer: boolean,
): DataColumn<RequestRefusal>[] {
  const account: DataColumn<RequestRefusal> = {
    header: "Account",
    cell: ({ accountId }) => accountId && <AccountLink id={accountId} names={names} />,
  };
  return [
    ...errorColumns,
    ...(isCustomer ? [] : [account]),
    { header: "Model", cell: ({ alias }) => <span className="cut">{alias}</span> },
    {
      header: "Key",
      cell: ({ keyId, shownKey }) =>
        keyId ? <KeyLink id={keyId} names={names} /> : <code className="cut">{shownKey}</code>,
    },
  ];
}
