import { getRouteApi } from "@tanstack/react-router";
import { useAccess } from "../../calls/use-session.ts";
import { useUsage } from "../../calls/use-usage.ts";
import type { ActivitySearch } from "../../search/activity-search.ts";
import { dimensionSums, dimensionsFor } from "../../search/dimensions.ts";
import { type Range, rangeBefore, rangeOf } from "../../search/period.ts";
import { type FilterName, filterNames } from "../../search/usage-filter.ts";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { PeriodLinks } from "../../ui/period-links.tsx";
import { Screen, Section } from "../../ui/screen.tsx";
import { useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Breakdown } from "./breakdown.tsx";
import { OverTime } from "./over-time.tsx";
import { SavedViews } from "./saved-views.tsx";

const route = getRouteApi("/app/activity");
const fallback = "30d";

/** What was used and spent in a period. */
export function Activity() {
  const search = route.useSearch();
  const range = rangeOf(search, fallback);
  return (
    <Screen title="Activity" actions={<SavedViews search={search} />}>
      <div className="filters">
        <PeriodLinks search={search} fallback={fallback} hasDays />
        <FilterBar search={search} />
      </div>
      <OverTime search={search} range={range} />
      <Table search={search} range={range} />
    </Screen>
  );
}

function Table({ search, range }: { search: ActivitySearch; range: Range }) {
  const { by = "model", second } = search;
  const division = second !== undefined && second !== by ? { thenBy: dimensionSums[second] } : {};
  const usage = useUsage(range, dimensionSums[by], search, { ...division, withTimes: true });
  const before = useUsage(rangeBefore(range), dimensionSums[by], search, division);
  return (
    <Section
      title={`By ${filterNames[by].toLowerCase()}`}
      actions={
        <>
          <DimensionChoice label="List by" name="by" value={by} />
          <DimensionChoice label="Divided by" name="second" value={second} none="not divided" />
        </>
      }
    >
      {(by === "user" || second === "user") && (
        <p className="quiet">Requests that name no end user are not among these.</p>
      )}
      <Loaded query={usage} rows={6}>
        {({ usage, names }) =>
          usage === undefined || usage.sums.length === 0 ? (
            <Empty icon="activity" title="No usage matches">
              Choose a longer period, or remove a filter.
            </Empty>
          ) : (
            <Breakdown
              {...{ usage, names, by, search, range }}
              {...(division.thenBy !== undefined && { second })}
              before={before.data?.usage?.sums}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function DimensionChoice(props: {
  label: string;
  name: "by" | "second";
  value: FilterName | undefined;
  none?: string;
}) {
  const { isCustomer } = useAccess();
  const change = useSearchChange();
  return (
    <select
      aria-label={props.label}
      value={props.value ?? ""}
      onChange={({ target }) => change({ q: undefined, [props.name]: target.value || undefined })}
    >
      {props.none !== undefined && <option value="">{props.none}</option>}
      {Object.entries(dimensionsFor(isCustomer)).map(([value, name]) => (
        <option key={value} value={value}>
          {props.name === "second" ? `then ${name.toLowerCase()}` : name}
        </option>
      ))}
    </select>
  );
}
