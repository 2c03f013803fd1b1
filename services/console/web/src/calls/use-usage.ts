import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { callUnaryMethod, useQuery, useTransport } from "@connectrpc/connect-query";
import type { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { usageFilterOf } from "../search/dimensions.ts";
import type { Range } from "../search/period.ts";
import type { UsageSearch } from "../search/usage-filter.ts";

/** How each sum of usage is divided further. */
export interface UsageDivision {
  thenBy?: UsageBy;
  /** How many names have sums of their own; the rest is one sum. */
  thenMost?: number;
  /** Whether the sums have the times of requests. */
  withTimes?: boolean;
}

/** Reads the usage of a period, by what `by` names. */
export function useUsage(
  range: Range,
  by: UsageBy,
  search: UsageSearch = {},
  division: UsageDivision = {},
) {
  return useQuery(OperatorService.method.readUsage, usageRequest(range, by, search, division), {
    placeholderData: (previous) => previous,
  });
}

/** Returns a function that reads the usage of a period as CSV. */
export function useUsageCsv(
  range: Range,
  by: UsageBy,
  search: UsageSearch,
  division: UsageDivision,
): () => Promise<string> {
  const transport = useTransport();
  const request = { ...usageRequest(range, by, search, division), asCsv: true };
  const { readUsage } = OperatorService.method;
  return async () => (await callUnaryMethod(transport, readUsage, request)).csv;
}

function usageRequest(range: Range, by: UsageBy, search: UsageSearch, division: UsageDivision) {
  return {
    account: search.account ?? "",
    from: timestampFromDate(range.from),
    to: timestampFromDate(range.to),
    by,
    ...division,
    filter: usageFilterOf(search),
  };
}
