import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { type FilterName, filterNames, namesOfNone, type UsageSearch } from "./usage-filter.ts";

/** By what usage is summed, for each name that an address may have. */
export const dimensionSums: Readonly<Record<FilterName, UsageBy>> = {
  model: UsageBy.MODEL,
  key: UsageBy.KEY,
  account: UsageBy.ACCOUNT,
  provider: UsageBy.PROVIDER,
  route: UsageBy.ROUTE,
  plan: UsageBy.PLAN,
  tag: UsageBy.TAG,
  owner: UsageBy.OWNER,
  user: UsageBy.END_USER,
};

/** Returns the dimensions with their names. A customer sees one account, and not who serves it. */
export function dimensionsFor(isCustomer: boolean): Partial<Record<FilterName, string>> {
  const { account: _account, provider: _provider, ...others } = filterNames;
  return isCustomer ? others : filterNames;
}

/** Returns the filter of a call: its values, and what usage must not have. */
export function usageFilterOf(search: UsageSearch) {
  const { key = "", model = "", provider = "", route = "", plan = "" } = search;
  const { tag = "", owner = "", user = "" } = search;
  return {
    ...{ keyId: key, alias: model, provider, routeType: route, plan, tag, owner, endUser: user },
    without: namesOfNone(search).map((name) => dimensionSums[name]),
  };
}
