import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { useUsage } from "../../calls/use-usage.ts";
import { bucketsOf } from "../../charts/time-series.ts";
import { Legend, UsageBars } from "../../charts/usage-bars.tsx";
import { layersOf } from "../../charts/usage-layers.ts";
import type { Range } from "../../search/period.ts";
import { Loaded } from "../../ui/states.tsx";

/** More colours are hard to tell apart. */
const mostModels = 5;

/** What the own account of a customer spent on each day, by model. */
export function SpendByModel({ range }: { range: Range }) {
  const division = { thenBy: UsageBy.MODEL, thenMost: mostModels };
  const usage = useUsage(range, UsageBy.DAY, {}, division);
  return (
    <Loaded query={usage} rows={5}>
      {({ usage, names }) => {
        const sums = usage?.sums ?? [];
        const layers = layersOf(sums, names);
        return (
          <>
            <UsageBars
              title="Spend by day and model"
              buckets={bucketsOf(range, "day", sums)}
              step="day"
              metric="spend"
              layers={layers}
            />
            <Legend label="Models" layers={layers} />
          </>
        );
      }}
    </Loaded>
  );
}
