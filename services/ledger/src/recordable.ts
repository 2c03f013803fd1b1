import {
  Outcome,
  type RequestTrail,
  type UsageEvent,
  type UsageLine,
} from "@tollgate/proto/tollgate/v1/usage";

const maxBigint = 2n ** 63n - 1n;
/** The most that an index entry has room for. Our own ids and names are far shorter. */
const maxIdBytes = 2_500;
const maxLines = 100;
const maxDimensionBytes = 128;
const maxAttempts = 16;
const maxTrailTextBytes = 1_024;
/** A message has 1,024 characters. */
const maxMessageBytes = 4_096;
const maxProviderUsageBytes = 4_096;
/** The first second of the year 10000, which Postgres does not read as an ISO 8601 date. */
const endOfTime = 253_402_300_800n;

/** Returns whether an event, which may come from outside, fits the ledger's tables. */
export function isRecordable(event: UsageEvent): boolean {
  if (event.id === "" || event.accountId === "") return false;
  const ids = [event.id, event.accountId, event.holdId, event.sharedHoldId];
  ids.push(event.chargeId, event.requestId, event.conversationId);
  if (!ids.every((id) => isShort(id, maxIdBytes))) return false;
  const usage = [event.accountId, event.keyId, event.alias, event.routeType, event.unitType];
  if (!isShort(usage.join(""), maxIdBytes)) return false;
  const seconds = event.occurredAt?.seconds ?? 0n;
  if (seconds < 0n || seconds >= endOfTime) return false;
  if (event.outcome === Outcome.UNSPECIFIED) return false;
  if (event.lines.length > maxLines || !event.lines.every(isRecordableLine)) return false;
  if (!isText(event.providerUsage, maxProviderUsageBytes)) return false;
  if (event.trail !== undefined && !isRecordableTrail(event.trail)) return false;
  const amounts = [
    event.quantity,
    event.promptTokens,
    event.completionTokens,
    event.cachedPromptTokens,
    event.costNanoUsd,
    event.reportedNanoUsd ?? 0n,
    event.corpusSize,
    event.sharedNanoUsd,
    event.sharedTokens,
  ];
  return amounts.every(isBigint);
}

function isRecordableLine({ dimension, quantity, amountNanoUsd }: UsageLine): boolean {
  const hasName = dimension !== "" && isText(dimension, maxDimensionBytes);
  return hasName && isBigint(quantity) && isBigint(amountNanoUsd);
}

function isRecordableTrail(trail: RequestTrail): boolean {
  const { attempts, passedOver, errorCode, traceId, heldNanoUsd } = trail;
  const texts = [errorCode, trail.clientCode, traceId, trail.endpoint, trail.userAgent];
  texts.push(trail.clientRequestId, trail.responseId);
  texts.push(trail.creationRequestId, trail.creationClientRequestId);
  const messages = [trail.clientMessage];
  for (const one of attempts) {
    texts.push(one.provider, one.upstreamModel, one.errorCode, one.key);
    texts.push(one.providerRequestId, one.providerResponseId);
    messages.push(one.reason, one.providerMessage);
  }
  for (const one of passedOver) texts.push(one.provider, one.upstreamModel, one.reason, one.key);
  const areTexts = texts.every((text) => isText(text, maxTrailTextBytes));
  const areMessages = messages.every((text) => isText(text, maxMessageBytes));
  const areFew = attempts.length <= maxAttempts && passedOver.length <= maxAttempts;
  return areFew && areTexts && areMessages && isBigint(heldNanoUsd);
}

function isBigint(amount: bigint): boolean {
  return amount <= maxBigint;
}

/** Returns whether a text is short enough, and has no NUL, which Postgres cannot store. */
function isText(text: string, maxBytes: number): boolean {
  return isShort(text, maxBytes) && !text.includes("\0");
}

/** A UTF-16 code unit is at most three bytes of UTF-8, so that few texts need to be measured. */
function isShort(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}
