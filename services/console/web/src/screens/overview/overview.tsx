import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi } from "@tanstack/react-router";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService, type ReadOverviewResponse } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { useUsage } from "../../calls/use-usage.ts";
import { bucketsOf } from "../../charts/time-series.ts";
import { UsageBars } from "../../charts/usage-bars.tsx";
import { FirstSteps } from "../../first-steps/first-steps.tsx";
import { countOf, formatMs } from "../../format/numbers.ts";
import { stepOf } from "../../search/activity-search.ts";
import { type PeriodSearch, type Range, rangeOf } from "../../search/period.ts";
import { BalanceStat } from "../../ui/balance-stat.tsx";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { ProviderCostStat } from "../../ui/provider-cost-stat.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { CustomerHome } from "../home/home.tsx";
import { Attention } from "./attention.tsx";
import { CatalogRefusals } from "./catalog-refusals.tsx";
import { ErrorCodes } from "./error-codes.tsx";
import { Providers } from "./providers.tsx";
import { RefusedKeyNotices } from "./refused-key-notices.tsx";
import { RefusedRequests } from "./refused-requests.tsx";
import { RequestsStat } from "./requests-stat.tsx";
import { UnreportedUsage } from "./unreported-usage.tsx";

const route = getRouteApi("/app/");
const fallback = "7d";

const steps = { hour: UsageBy.HOUR, day: UsageBy.DAY, month: UsageBy.MONTH };

/** The first screen: of an operator or of a customer. */
export function Overview() {
  const search = route.useSearch();
  const { isCustomer } = useAccess();
  return isCustomer ? <CustomerHome search={search} /> : <GatewayOverview search={search} />;
}

/** The sums of a period, and what needs attention. */
function GatewayOverview({ search }: { search: PeriodSearch }) {
  const range = rangeOf(search, fallback);
  const { canChange } = useAccess();
  const overview = useQuery(
    OperatorService.method.readOverview,
    { from: timestampFromDate(range.from), to: timestampFromDate(range.to) },
    { placeholderData: (previous) => previous, refetchInterval: 30_000 },
  );
  return (
    <Screen title="Overview" actions={<PeriodLinks search={search} fallback={fallback} />}>
      <Loaded query={overview} rows={10}>
        {(data) => (
          <>
            {canChange && <FirstSteps />}
            <RefusedKeyNotices keys={data.refusedKeys} />
            <CatalogRefusals processes={data.refusingProcesses} />
            <Sums data={data} />
            <Spend range={range} />
            <Attention forecasts={data.forecasts} />
            <div className="columns">
              <Providers providers={data.providers} search={search} />
              <div className="column">
                <ErrorCodes data={data} search={search} />
                <RefusedRequests refusals={data.refusals} />
                <UnreportedUsage fallbacks={data.fallbacks} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Sums({ data }: { data: ReadOverviewResponse }) {
  return (
    <dl className="stats">
      <BalanceStat balanceNanoUsd={data.balanceNanoUsd} heldNanoUsd={data.heldNanoUsd} />
      <Stat
        name="Spent"
        note={
          data.uncollectedNanoUsd > 0n && (
            <>
              <Money nano={data.uncollectedNanoUsd} /> not collected
            </>
          )
        }
      >
        <Money nano={data.chargedNanoUsd} />
      </Stat>
      <ProviderCostStat
        charged={data.chargedNanoUsd}
        providerCost={data.providerCostNanoUsd}
        costedCharge={data.costedChargeNanoUsd}
      />
      <Stat name="Money in" note="Top-ups and adjustments">
        <Money nano={data.creditedNanoUsd} />
      </Stat>
      <RequestsStat data={data} />
      <Latency name="Duration, median" p50={data.durationP50Ms} p99={data.durationP99Ms} />
      <Latency name="First token, median" p50={data.firstTokenP50Ms} p99={data.firstTokenP99Ms} />
    </dl>
  );
}

interface LatencyProps {
  name: string;
  p50: number | undefined;
  p99: number | undefined;
}

function Latency({ name, p50, p99 }: LatencyProps) {
  return (
    <Stat name={name} note={p99 !== undefined && `p99 ${formatMs(p99)}`}>
      {p50 === undefined ? "–" : formatMs(p50)}
    </Stat>
  );
}

function Spend({ range }: { range: Range }) {
  const step = stepOf({}, range);
  const usage = useUsage(range, steps[step]);
  return (
    <Section title="Spend" note={`by ${step}, UTC`}>
      <div className="chart-room">
        <Loaded query={usage} rows={5}>
          {({ usage }) => {
            const sums = usage?.sums ?? [];
            if (sums.length === 0) {
              return (
                <Empty icon="activity" title="No usage in this period">
                  It is shown here within seconds of a request.
                </Empty>
              );
            }
            const total = sums.reduce((sum, { requests }) => sum + requests, 0n);
            const title = `Spend by ${step}, of ${countOf(total, "request")}`;
            const buckets = bucketsOf(range, step, sums);
            return <UsageBars title={title} buckets={buckets} step={step} metric="spend" />;
          }}
        </Loaded>
      </div>
    </Section>
  );
}
