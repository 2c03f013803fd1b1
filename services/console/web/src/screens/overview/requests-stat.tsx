import type { ReadOverviewResponse } from "@tollgate/proto/tollgate/v1/operator";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { Stat } from "../../ui/facts.tsx";

/** How many requests there were in a period, and the share that failed. */
export function RequestsStat({
  data: { requests, failedRequests },
}: {
  data: ReadOverviewResponse;
}) {
  return (
    <Stat name="Requests" note={requests > 0n && `${formatShare(failedRequests, requests)} failed`}>
      {formatCount(requests)}
    </Stat>
  );
}
