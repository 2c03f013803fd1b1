import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { type FilterName, filterNames } from "../../search/usage-filter.ts";

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
