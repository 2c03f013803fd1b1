import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService, type ReadOverviewResponse } from "@tollgate/proto/tollgate/v1/operator";
import { lazy, Suspense } from "react";
import { useAccess } from "../../calls/use-session.ts";
import { type PeriodSearch, rangeOf } from "../../search/period.ts";
import { BalanceStat } from "../../ui/balance-stat.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Stat } from "../../ui/facts.tsx";
import { keyColumns } from "../../ui/key-columns.tsx";
import { Money } from "../../ui/money.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { Empty, Loaded, Loading } from "../../ui/states.tsx";
import { AccountPrices } from "../account/account-prices.tsx";
import { Forecast } from "../account/forecast.tsx";
import { ErrorCodes } from "../overview/error-codes.tsx";
import { OwnLimits } from "../overview/own-limits.tsx";
import { RefusedRequests } from "../overview/refused-requests.tsx";
import { RequestsStat } from "../overview/requests-stat.tsx";
import { SpendByModel } from "./spend-by-model.tsx";

const route = getRouteApi("/app/");
const fallback = "30d";
const shownKeys = 5;

/** Loaded where it is shown: an account that makes requests does not need it. */
const QuickStart = lazy(async () => ({
  default: (await import("../quick-start/quick-start.tsx")).QuickStart,
}));

/** What a customer sees first: money and days left, spend, its keys, limits and prices. */
export function CustomerHome({ search }: { search: PeriodSearch }) {
  const range = rangeOf(search, fallback);
  const { canSeeKeys, canChangeKeys, canPlay } = useAccess();
  const overview = useQuery(
    OperatorService.method.readOverview,
    { from: timestampFromDate(range.from), to: timestampFromDate(range.to) },
    { placeholderData: (previous) => previous, refetchInterval: 30_000 },
  );
  return (
    <Screen
      title="Overview"
      actions={
        <>
          {canPlay && (
            <Link to="/playground" className="button">
              Playground
            </Link>
          )}
          <PeriodLinks search={search} fallback={fallback} />
        </>
      }
    >
      <Loaded query={overview} rows={10}>
        {(data) => (
          <>
            <OwnSums data={data} />
            {data.requests === 0n && canChangeKeys && (
              <Section title="Quick start">
                <Suspense fallback={<Loading rows={6} />}>
                  <QuickStart account="" />
                </Suspense>
              </Section>
            )}
            <Section title="Spend" note="by day and model, UTC">
              <div className="chart-room">
                {data.requests === 0n ? (
                  <Empty icon="activity" title="No usage in this period">
                    It is shown here within seconds of a request.
                  </Empty>
                ) : (
                  <SpendByModel range={range} />
                )}
              </div>
            </Section>
            {canSeeKeys && <OwnKeys />}
            <OwnLimits />
            <div className="columns">
              <ErrorCodes data={data} search={search} />
              <RefusedRequests refusals={data.refusals} />
            </div>
            <OwnPrices />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function OwnSums({ data }: { data: ReadOverviewResponse }) {
  return (
    <dl className="stats">
      <BalanceStat balanceNanoUsd={data.balanceNanoUsd} heldNanoUsd={data.heldNanoUsd} />
      <Forecast accountId="" balance={data.balanceNanoUsd} />
      <Stat name="Spent in the period">
        <Money nano={data.chargedNanoUsd} />
      </Stat>
      <RequestsStat data={data} />
    </dl>
  );
}

function OwnKeys() {
  const keys = useQuery(OperatorService.method.listKeys, { limit: shownKeys });
  return (
    <Section title="Keys" actions={<Link to="/keys">All keys</Link>}>
      <Loaded query={keys} rows={shownKeys}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty icon="keys" title="No keys yet">
              A program calls the gateway with a key.
            </Empty>
          ) : (
            <DataTable caption="Keys" columns={keyColumns} rows={keys} idOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function OwnPrices() {
  const search = route.useSearch();
  const own = useQuery(OperatorService.method.getAccount, {});
  const account = own.data?.account?.account;
  if (account === undefined) return null;
  return (
    <Section title="Prices">
      <AccountPrices account={account} search={search} />
    </Section>
  );
}
