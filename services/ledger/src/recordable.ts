import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";

const maxBigint = 2n ** 63n - 1n;
/** An index has room for no more, and every id of ours is far shorter. */
const maxIdBytes = 2_500;
/** The first second of the year 10000: a later one has no date that Postgres reads. */
const endOfTime = 253_402_300_800n;

/** Whether an event that came from outside can stand in the ledger as it is. */
export function isRecordable(event: UsageEvent): boolean {
  if (event.id === "" || event.accountId === "") return false;
  const ids = [event.id, event.accountId, event.holdId, event.sharedHoldId];
  ids.push(event.chargeId, event.requestId, event.conversationId);
  if (ids.some((id) => Buffer.byteLength(id) > maxIdBytes)) return false;
  const seconds = event.occurredAt?.seconds ?? 0n;
  if (seconds < 0n || seconds >= endOfTime) return false;
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
