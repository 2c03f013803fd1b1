import { useNavigate } from "@tanstack/react-router";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { useUsage } from "../../calls/use-usage.ts";
import { type Bucket, bucketsOf } from "../../charts/time-series.ts";
import { Legend, UsageBars } from "../../charts/usage-bars.tsx";
import { layersOf } from "../../charts/usage-layers.ts";
import { formatDay } from "../../format/time.ts";
import {
  type ActivitySearch,
  activityMetrics,
  hasHours,
  stepOf,
  type TimeStep,
  timeSteps,
} from "../../search/activity-search.ts";
import { dimensionSums } from "../../search/dimensions.ts";
import { type Range, rangeBefore } from "../../search/period.ts";
import { filterNames } from "../../search/usage-filter.ts";
import { Section } from "../../ui/screen.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { Loaded } from "../../ui/states.tsx";
import { requestsOf } from "./requests-of.ts";
import { Totals } from "./totals.tsx";

const stepSums = { hour: UsageBy.HOUR, day: UsageBy.DAY, month: UsageBy.MONTH };
const { hour: _hour, ...longSteps } = timeSteps;
/** One less than there are colours: the last one is that of the rest. */
const maxLayers = 7;

/** The usage of a period over time, stacked, with its totals. */
export function OverTime({ search, range }: { search: ActivitySearch; range: Range }) {
  const step = stepOf(search, range);
  const { metric = "spend", by = "model" } = search;
  const navigate = useNavigate();
  const stacked = { thenBy: dimensionSums[by], thenMost: maxLayers };
  const usage = useUsage(range, stepSums[step], search, stacked);
  // Usage with several tags is in several sums: the totals are by what is never counted twice.
  const totals = useUsage(range, UsageBy.ROUTE, search);
  const before = useUsage(rangeBefore(range), UsageBy.ROUTE, search);
  const offered: Partial<Record<TimeStep, string>> = hasHours(search, range)
    ? timeSteps
    : longSteps;
  return (
    <Section
      title={activityMetrics[metric]}
      note="against the period before"
      actions={
        <>
          <LinkGroup label="Shown" name="metric" options={activityMetrics} current={metric} />
          <LinkGroup label="Length of a bar" name="step" options={offered} current={step} />
        </>
      }
    >
      <Loaded query={usage} rows={7}>
        {({ usage, names }) => {
          const sums = usage?.sums ?? [];
          const layers = layersOf(sums, names);
          const open = ({ start, end }: Bucket, layer: number | undefined) => {
            const member = layer === undefined ? undefined : layers[layer]?.member;
            const days = { from: formatDay(start), to: formatDay(new Date(end.getTime() - 1)) };
            const found = requestsOf(search, member === undefined ? {} : { [by]: member });
            if (found) void navigate({ to: "/requests", search: { ...found, ...days } });
          };
          return (
            <>
              <Totals sums={totals.data?.usage?.sums ?? []} before={before.data?.usage?.sums} />
              {sums.length > 0 && (
                <>
                  <UsageBars
                    title={`${activityMetrics[metric]} by ${step} and ${filterNames[by].toLowerCase()}`}
                    buckets={bucketsOf(range, step, sums)}
                    step={step}
                    metric={metric}
                    height={260}
                    layers={layers}
                    onOpen={open}
                  />
                  <Legend label="Colors" layers={layers} />
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
