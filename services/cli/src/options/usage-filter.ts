import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import type { CommandOptions } from "../commands/command.ts";
import { UsageError } from "../help.ts";
import { readChoice } from "./list-options.ts";

/** The options that say which usage is summed, or which requests are listed. */
export const usageFilterOptions = [
  ...(["key", "model", "provider", "route", "plan", "tag", "owner", "end-user"] as const),
  "without",
] as const;

/** The dimensions that usage may lack, such as a plan. */
export const nullableDimensions = {
  model: UsageBy.MODEL,
  key: UsageBy.KEY,
  provider: UsageBy.PROVIDER,
  route: UsageBy.ROUTE,
  plan: UsageBy.PLAN,
  tag: UsageBy.TAG,
  owner: UsageBy.OWNER,
} as const;

/** Returns the filter that the options name. Throws a UsageError. */
export function usageFilterOfOptions(options: CommandOptions) {
  const { key: keyId = "", model: alias = "", provider = "", route: routeType = "" } = options;
  const { plan = "", tag: tags = [], owner = "", "end-user": endUser = "" } = options;
  if (tags.length > 1) throw new UsageError("usage is filtered by one --tag");
  const [tag = ""] = tags;
  const { without: names = [] } = options;
  const without = names.map((name) => readChoice(name, "--without", nullableDimensions));
  return { keyId, alias, provider, routeType, plan, tag, owner, endUser, without };
}
