import type { ActivitySearch } from "../../search/activity-search.ts";
import type { FilterSearch } from "../../search/usage-filter.ts";

/** Returns the address of the requests of Activity, with further filters. */
export function requestsOf(search: ActivitySearch, filter: FilterSearch) {
  const { by: _by, second: _second, step: _step, metric: _metric, ...filters } = search;
  return { ...filters, period: filters.period ?? ("30d" as const), ...filter };
}
