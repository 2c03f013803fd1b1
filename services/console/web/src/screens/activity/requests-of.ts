import type { ActivitySearch } from "../../search/activity-search.ts";
import {
  canBeNone,
  type FilterName,
  type FilterSearch,
  namesOfNone,
  noneOf,
} from "../../search/usage-filter.ts";

/**
 * Returns the address of the requests of Activity that have these members of its dimensions; of an empty one,
 * those that have none. Undefined where requests are not found by that.
 */
export function requestsOf(search: ActivitySearch, members: FilterSearch) {
  const { by: _by, second: _second, step: _step, metric: _metric, ...shown } = search;
  const { q: _q, order: _order, size: _size, before: _before, ...filters } = shown;
  const all = Object.entries(members) as [FilterName, string][];
  const empty = all.flatMap(([name, member]) => (member === "" ? [name] : []));
  if (!empty.every(canBeNone)) return undefined;
  const none = noneOf([...namesOfNone(search), ...empty]);
  return {
    ...{ ...filters, period: filters.period ?? ("30d" as const) },
    ...Object.fromEntries(all.filter(([, member]) => member !== "")),
    ...(none !== undefined && { none }),
  };
}
