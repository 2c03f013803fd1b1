import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import type { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Range } from "../search/period.ts";
import type { FilterSearch } from "../search/usage-filter.ts";

/** Reads the usage of a period, by what `by` names. */
export function useUsage(range: Range, by: UsageBy, search: FilterSearch = {}) {
  return useQuery(OperatorService.method.readUsage, usageRequest(range, by, search), {
    placeholderData: (previous) => previous,
  });
}

/** Returns the request that reads the usage of a period, by what `by` names. */
export function usageRequest(range: Range, by: UsageBy, search: FilterSearch = {}) {
  return {
    account: search.account ?? "",
    from: timestampFromDate(range.from),
    to: timestampFromDate(range.to),
    by,
    filter: {
      keyId: search.key ?? "",
      alias: search.model ?? "",
      provider: search.provider ?? "",
      routeType: search.route ?? "",
    },
  };
}
