import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { formatMoneyShort } from "../format/money.ts";
import { countOf, formatCount, formatCountShort } from "../format/numbers.ts";
import type { Metric, TimeStep } from "../search/activity-search.ts";
import { Money } from "../ui/money.tsx";
import { type Bar, BarChart } from "./bar-chart.tsx";
import { type Bucket, labelOf } from "./time-series.ts";

interface Props {
  title: string;
  buckets: readonly Bucket[];
  step: TimeStep;
  metric: Metric;
  height?: number;
}

/** Usage over time. Heights are drawn from rounded numbers; the amounts beside are exact. */
export function UsageBars({ title, buckets, step, metric, ...size }: Props) {
  const bars = buckets.map(
    ({ start, sum }): Bar => ({
      key: start.toISOString(),
      label: labelOf(start, step),
      value: Number(sum ? metricOf(sum, metric) : 0n),
      detail: <Detail sum={sum} metric={metric} />,
    }),
  );
  const formatTick = (value: number) =>
    metric === "spend" ? formatMoneyShort(BigInt(Math.round(value))) : formatCountShort(value);
  return <BarChart title={title} bars={bars} formatTick={formatTick} {...size} />;
}

/** Returns the number of a sum that a metric shows. */
function metricOf(sum: UsageSum, metric: Metric): bigint {
  if (metric === "spend") return sum.chargedNanoUsd;
  return metric === "requests" ? sum.requests : sum.promptTokens + sum.completionTokens;
}

function Detail({ sum, metric }: { sum: UsageSum | undefined; metric: Metric }) {
  if (sum === undefined) return <strong>No usage</strong>;
  return (
    <>
      <strong>
        {metric === "spend" && <Money nano={sum.chargedNanoUsd} />}
        {metric === "requests" && countOf(sum.requests, "request")}
        {metric === "tokens" && `${formatCount(metricOf(sum, metric))} tokens`}
      </strong>
      {metric !== "requests" && <span>{countOf(sum.requests, "request")}</span>}
      {metric === "requests" && <span>{formatCount(sum.failedRequests)} failed</span>}
    </>
  );
}
