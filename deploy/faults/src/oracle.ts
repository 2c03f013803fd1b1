import type { RecordedCall } from "@tollgate/simulator/call-log";
import type { LedgerEntry } from "./books.ts";
import type { Told } from "./told.ts";

/** What must not be, one line each, and what is worth knowing. */
export interface Verdict {
  violations: string[];
  /** Charged though no whole answer came: it was lost on its way. Who left early is not counted. */
  chargedUnanswered: number;
  chargedNanoUsd: bigint;
}

/** Refusals that cost nothing. The others may be an answer that was lost within the fleet. */
const unbilled = new Set([400, 401, 402, 403, 404, 409, 413, 429, 502]);

/** What a stream that its client left may cost at the most, as its provider counts tokens. */
const perPromptToken = 150n;
const perCompletionToken = 600n;
/** The gateway counts characters where no usage came. */
const leeway = 4n;
const leastBound = 50_000n;

/**
 * Holds what clients were told and what the provider did against the ledger: every whole answer has
 * one entry over what it was told or owes, none has two, and nothing is charged that the provider
 * was not asked for.
 */
export function judge(
  told: readonly Told[],
  entries: readonly LedgerEntry[],
  journal: readonly RecordedCall[],
): Verdict {
  const usage = entries.filter(({ kind }) => kind === "usage");
  const byRequest = groupBy(usage, ({ requestId }) => requestId);
  const byEvent = groupBy(usage, ({ eventId }) => eventId);
  const generated = groupBy(journal, ({ requestId }) => requestId ?? "");
  const violations = judgeStrangers(told, usage);
  let chargedUnanswered = 0;
  for (const one of told) {
    const own = one.eventId === undefined ? byRequest.get(one.requestId) : byEvent.get(one.eventId);
    const isGenerated = one.eventId !== undefined || generated.has(one.requestId);
    const problems =
      one.ended === "whole"
        ? problemsOfWhole(one, own ?? [], isGenerated)
        : problemsOf(one, own, generated.get(one.requestId) ?? []);
    const name = `${one.family} ${one.requestId || "(no id)"}`;
    violations.push(...problems.map((problem) => `${name}: ${problem}`));
    const isLost = one.ended === "refused" || one.ended === "broken";
    if (isLost && sum(own) > 0n) chargedUnanswered += 1;
  }
  violations.push(...judgeCharges(usage, generated));
  return { violations, chargedUnanswered, chargedNanoUsd: sum(usage) };
}

function problemsOf(
  { status, ended, requestId }: Told,
  own: readonly LedgerEntry[] = [],
  calls: readonly RecordedCall[],
): string[] {
  const problems: string[] = [];
  const charged = sum(own);
  if (charged > 0n && unbilled.has(status)) problems.push(`${status}, yet charged`);
  if (requestId !== "" && own.length > 1) problems.push(`${own.length} entries`);
  if (ended === "left" && charged > boundOf(calls)) problems.push(`left, and charged ${charged}`);
  return problems;
}

function boundOf(calls: readonly RecordedCall[]): bigint {
  return calls.reduce((bound, { route, promptTokens, completionTokens }) => {
    if (!route.endsWith("/chat/completions")) return bound + 10_000_000n;
    const prompt = BigInt(promptTokens) * perPromptToken;
    return bound + leeway * (prompt + BigInt(completionTokens) * perCompletionToken);
  }, leastBound);
}

/**
 * What was charged for requests that no client knows: no more of them than went out and never had
 * an answer that named them.
 */
function judgeStrangers(told: readonly Told[], usage: readonly LedgerEntry[]): string[] {
  const known = new Set(told.flatMap(({ requestId, eventId = requestId }) => [requestId, eventId]));
  // A keyed request has an id an attempt, and is told the last one.
  const nameless = told.reduce((sum, one) => sum + one.nameless + (one.attempts - 1), 0);
  const strangers = usage.filter(
    ({ amountNanoUsd, requestId, eventId }) =>
      amountNanoUsd < 0n && !known.has(requestId) && !known.has(eventId),
  );
  if (strangers.length <= nameless) return [];
  return [`${strangers.length} charges for requests that nobody made, or ${nameless} at the most`];
}

function problemsOfWhole(one: Told, own: readonly LedgerEntry[], isGenerated: boolean): string[] {
  const { costNanoUsd, owedNanoUsd } = one;
  const problems = isGenerated ? [] : ["answered, yet the provider was never asked"];
  if (one.tellsCost && costNanoUsd === undefined) problems.push("whole, and names no cost");
  // A job costs nothing when it is made.
  if (costNanoUsd === undefined && owedNanoUsd === undefined && !one.tellsCost) {
    return sum(own) > 0n ? [...problems, "charged, though it costs nothing"] : problems;
  }
  const [entry] = own;
  if (entry === undefined || own.length > 1) {
    return [...problems, `answered whole, and has ${own.length} entries`];
  }
  return [...problems, ...problemsOfCharge(one, entry)];
}

function problemsOfCharge(
  { customer, costNanoUsd, owedNanoUsd }: Told,
  entry: LedgerEntry,
): string[] {
  const problems: string[] = [];
  // A second run of a keyed request refers to the first, which is what was charged.
  const charged = entry.chargedForKey ?? -entry.amountNanoUsd;
  const { uncollectedNanoUsd: uncollected } = entry;
  if (customer.isRich && uncollected > 0n) problems.push(`${uncollected} uncollected`);
  if (costNanoUsd !== undefined && charged !== costNanoUsd) {
    problems.push(`told ${costNanoUsd}, charged ${charged}`);
  }
  if (owedNanoUsd !== undefined && charged + uncollected !== owedNanoUsd) {
    problems.push(`owes ${owedNanoUsd}, charged ${charged}, ${uncollected} uncollected`);
  }
  return problems;
}

function judgeCharges(
  usage: readonly LedgerEntry[],
  generated: ReadonlyMap<string, readonly RecordedCall[]>,
): string[] {
  const violations: string[] = [];
  const charges = new Set<string>();
  for (const { requestId, eventId, chargeId, amountNanoUsd } of usage) {
    if (amountNanoUsd === 0n) continue;
    if (chargeId !== undefined) {
      if (charges.has(chargeId)) violations.push(`charge ${chargeId}: charged twice`);
      charges.add(chargeId);
    }
    if (eventId.startsWith("ocr-job:")) continue;
    const calls = generated.get(requestId) ?? [];
    if (calls.some(({ status }) => status === 101 || status === 200)) continue;
    violations.push(`${requestId}: charged, yet the provider generated nothing`);
  }
  return violations;
}

function sum(entries: readonly LedgerEntry[] = []): bigint {
  return entries.reduce((total, { amountNanoUsd }) => total - amountNanoUsd, 0n);
}

function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
