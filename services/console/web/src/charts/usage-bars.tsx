import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { formatMoneyShort } from "../format/money.ts";
import { countOf, formatCount, formatCountShort } from "../format/numbers.ts";
import type { Metric, TimeStep } from "../search/activity-search.ts";
import { Money } from "../ui/money.tsx";
import { type Bar, BarChart } from "./bar-chart.tsx";
import { type Bucket, labelOf } from "./time-series.ts";
import type { Layer } from "./usage-layers.ts";

interface Props {
  title: string;
  buckets: readonly Bucket[];
  step: TimeStep;
  metric: Metric;
  height?: number;
  /** Without layers, each bar has one part. */
  layers?: readonly Layer[];
  /** Shows the requests of a bar, or of one of its layers. */
  onOpen?: (bucket: Bucket, layer: number | undefined) => void;
}

const whole: readonly Layer[] = [{ name: "", member: undefined, has: () => true }];

/** Usage over time. Heights are drawn from rounded numbers; the amounts beside are exact. */
export function UsageBars({ title, buckets, step, metric, layers = whole, ...props }: Props) {
  const { onOpen, ...size } = props;
  const bars = buckets.map(({ start, sums }): Bar => {
    const parts = layers.map(({ has }) => total(sums.filter(has), metric));
    return {
      key: start.toISOString(),
      label: labelOf(start, step),
      parts: parts.map(Number),
      detail: <Detail sums={sums} metric={metric} layers={layers} parts={parts} />,
    };
  });
  const formatTick = (value: number) =>
    metric === "spend" ? formatMoneyShort(BigInt(Math.round(value))) : formatCountShort(value);
  const open = (index: number, layer: number | undefined) => {
    const bucket = buckets[index];
    if (bucket) onOpen?.(bucket, layer);
  };
  // The rest is of many names, which no filter has.
  const opens = (part: number) => layers.length === 1 || layers[part]?.member !== undefined;
  return (
    <BarChart
      title={title}
      bars={bars}
      formatTick={formatTick}
      {...size}
      {...(onOpen && { onOpen: open, opens })}
    />
  );
}

/** Returns the number of a sum that a metric shows. */
function metricOf(sum: UsageSum, metric: Metric): bigint {
  if (metric === "spend") return sum.chargedNanoUsd;
  if (metric === "errors") return sum.failedRequests;
  return metric === "requests" ? sum.requests : sum.promptTokens + sum.completionTokens;
}

function total(sums: readonly UsageSum[], metric: Metric): bigint {
  return sums.reduce((sum, one) => sum + metricOf(one, metric), 0n);
}

interface DetailProps {
  sums: readonly UsageSum[];
  metric: Metric;
  layers: readonly Layer[];
  parts: readonly bigint[];
}

function Detail({ sums, metric, layers, parts }: DetailProps) {
  if (sums.length === 0) return <strong>No usage</strong>;
  const shown = layers.map((layer, index) => ({ ...layer, index, amount: parts[index] ?? 0n }));
  return (
    <>
      <strong>
        <Amount amount={total(sums, metric)} metric={metric} />
      </strong>
      {layers.length === 1 && metric !== "requests" && metric !== "errors" && (
        <span>{countOf(total(sums, "requests"), "request")}</span>
      )}
      {layers.length === 1 && metric === "requests" && (
        <span>{formatCount(total(sums, "errors"))} failed</span>
      )}
      {layers.length > 1 &&
        shown
          .filter(({ amount }) => amount > 0n)
          .toReversed()
          .map(({ name, index, amount }) => (
            <span key={index} className="legend-entry">
              <Swatch layer={index} /> <span className="cut">{name}</span>
              <Amount amount={amount} metric={metric} />
            </span>
          ))}
    </>
  );
}

function Amount({ amount, metric }: { amount: bigint; metric: Metric }) {
  if (metric === "spend") return <Money nano={amount} />;
  if (metric === "tokens") return `${formatCount(amount)} tokens`;
  return countOf(amount, metric === "errors" ? "error" : "request");
}

/** The names of layers beside their colours. */
export function Legend({ label, layers }: { label: string; layers: readonly Layer[] }) {
  return (
    <ul className="legend" aria-label={label}>
      {layers.map(({ name, member }, index) => (
        <li key={member ?? "the rest"} className="legend-entry">
          <Swatch layer={index} />{" "}
          <span className="cut" title={member}>
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ layer }: { layer: number }) {
  return (
    <svg className="swatch" width={10} height={10} aria-hidden="true">
      <rect className={`bar layer-${layer}`} width={10} height={10} rx={2} />
    </svg>
  );
}
