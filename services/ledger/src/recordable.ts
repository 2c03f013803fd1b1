import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";

const maxBigint = 2n ** 63n - 1n;

/** Whether an event that came from outside can stand in the ledger as it is. */
export function isRecordable(event: UsageEvent): boolean {
  if (event.id === "" || event.accountId === "") return false;
  if (event.outcome === Outcome.UNSPECIFIED) return false;
  const amounts = [
    event.quantity,
    event.promptTokens,
    event.completionTokens,
    event.cachedPromptTokens,
    event.costNanoUsd,
    event.reportedNanoUsd ?? 0n,
    event.corpusSize,
    event.sharedNanoUsd,
  ];
  return amounts.every((amount) => amount <= maxBigint);
}
