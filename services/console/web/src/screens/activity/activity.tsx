import { getRouteApi } from "@tanstack/react-router";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { useAccess } from "../../calls/use-session.ts";
import { useUsage } from "../../calls/use-usage.ts";
import { bucketsOf } from "../../charts/time-series.ts";
import { UsageBars } from "../../charts/usage-bars.tsx";
import {
  type ActivitySearch,
  activityMetrics,
  stepOf,
  type TimeStep,
  timeSteps,
} from "../../search/activity-search.ts";
import { daysOf, type Range, rangeOf } from "../../search/period.ts";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Breakdown } from "./breakdown.tsx";
import { Totals } from "./totals.tsx";

const route = getRouteApi("/app/activity");
const fallback = "30d";
const stepSums = { hour: UsageBy.HOUR, day: UsageBy.DAY, month: UsageBy.MONTH };
const bySums = {
  model: UsageBy.MODEL,
  key: UsageBy.KEY,
  account: UsageBy.ACCOUNT,
  provider: UsageBy.PROVIDER,
  route: UsageBy.ROUTE,
};
const byNames = {
  model: "Model",
  key: "Key",
  account: "Account",
  provider: "Provider",
  route: "Route",
} as const;

/** A customer sees one account, and not who serves it. */
const { account: _account, provider: _provider, ...customerNames } = byNames;

const { hour: _hour, ...longSteps } = timeSteps;
const maxHourDays = 14;

/** What was used and spent in a period. */
export function Activity() {
  const search = route.useSearch();
  const { isCustomer } = useAccess();
  const range = rangeOf(search, fallback);
  const { by = "model" } = search;
  const usage = useUsage(range, bySums[by], search);
  return (
    <Screen title="Activity">
      <div className="filters">
        <PeriodLinks search={search} fallback={fallback} hasDays />
        <FilterBar search={search} />
      </div>
      <OverTime search={search} range={range} />
      <Section
        title="By"
        actions={
          <LinkGroup
            label="List by"
            name="by"
            options={isCustomer ? customerNames : byNames}
            current={by}
          />
        }
      >
        <Loaded query={usage} rows={6}>
          {({ usage }) =>
            usage === undefined || usage.sums.length === 0 ? (
              <Empty icon="activity" title="No usage matches">
                Choose a longer period, or remove a filter.
              </Empty>
            ) : (
              <Breakdown usage={usage} by={by} search={search} range={range} />
            )
          }
        </Loaded>
      </Section>
    </Screen>
  );
}

function OverTime({ search, range }: { search: ActivitySearch; range: Range }) {
  const step = stepOf(search.step, range);
  const { metric = "spend" } = search;
  const usage = useUsage(range, stepSums[step], search);
  const offered: Partial<Record<TimeStep, string>> =
    daysOf(range) > maxHourDays ? longSteps : timeSteps;
  return (
    <Section
      title={activityMetrics[metric]}
      actions={
        <>
          <LinkGroup label="Shown" name="metric" options={activityMetrics} current={metric} />
          <LinkGroup label="Length of a bar" name="step" options={offered} current={step} />
        </>
      }
    >
      <Loaded query={usage} rows={7}>
        {({ usage }) => {
          const sums = usage?.sums ?? [];
          return (
            <>
              <Totals sums={sums} />
              <UsageBars
                title={`${activityMetrics[metric]} by ${step}`}
                buckets={bucketsOf(range, step, sums)}
                step={step}
                metric={metric}
                height={260}
              />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
