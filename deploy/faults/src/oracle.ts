import type { RecordedCall } from "@tollgate/simulator/call-log";
import type { LedgerEntry } from "./ledger-database.ts";
import type { Observation } from "./observation.ts";

/** The violations, one line each, and the totals. */
export interface Verdict {
  violations: string[];
  /** Charged requests whose response was lost. Clients that disconnected are not counted. */
  chargedWithoutResponse: number;
  chargedNanoUsd: bigint;
}

/** Statuses that cost nothing. After other statuses, a response may be lost within the fleet. */
const unbilledStatuses = new Set([400, 401, 402, 403, 404, 409, 413, 429, 502]);

/** The most that a stream may cost after a disconnect, per token that its provider counted. */
const perPromptToken = 150n;
const perCompletionToken = 600n;
/** The gateway counts characters when the provider reports no usage. */
const characterLeeway = 4n;
const minBoundNanoUsd = 50_000n;
/** The bound of a call on any other route. */
const otherRouteBoundNanoUsd = 10_000_000n;

/**
 * Compares the clients' observations and the provider's calls with the ledger. Every complete
 * response must have exactly one entry with the reported or expected cost, no request may have two
 * entries, and every charge must have a provider call that generated, or that a client left.
 */
export function judge(
  observations: readonly Observation[],
  entries: readonly LedgerEntry[],
  calls: readonly RecordedCall[],
): Verdict {
  const usage = entries.filter(({ kind }) => kind === "usage");
  const byRequest = Map.groupBy(usage, ({ requestId }) => requestId);
  const byEvent = Map.groupBy(usage, ({ eventId }) => eventId);
  const generated = Map.groupBy(calls, ({ requestId }) => requestId ?? "");
  const violations = judgeUnknownRequests(observations, usage);
  let chargedWithoutResponse = 0;
  for (const one of observations) {
    const own = one.eventId === undefined ? byRequest.get(one.requestId) : byEvent.get(one.eventId);
    const isGenerated = one.eventId !== undefined || generated.has(one.requestId);
    const problems =
      one.outcome === "complete"
        ? problemsOfComplete(one, own ?? [], isGenerated)
        : problemsOf(one, own, generated.get(one.requestId) ?? []);
    const name = `${one.workload} ${one.requestId || "(no id)"}`;
    violations.push(...problems.map((problem) => `${name}: ${problem}`));
    const isLost = one.outcome === "refused" || one.outcome === "broken";
    if (isLost && sum(own) > 0n) chargedWithoutResponse += 1;
  }
  violations.push(...judgeCharges(usage, generated));
  return { violations, chargedWithoutResponse, chargedNanoUsd: sum(usage) };
}

function problemsOf(
  { status, outcome, requestId }: Observation,
  own: readonly LedgerEntry[] = [],
  calls: readonly RecordedCall[],
): string[] {
  const problems: string[] = [];
  const charged = sum(own);
  if (charged > 0n && unbilledStatuses.has(status)) problems.push(`status ${status}, but charged`);
  if (requestId !== "" && own.length > 1) problems.push(`${own.length} entries`);
  if (outcome === "disconnected" && charged > boundOf(calls)) {
    problems.push(`disconnected, but charged ${charged}`);
  }
  return problems;
}

function boundOf(calls: readonly RecordedCall[]): bigint {
  return calls.reduce((bound, { route, promptTokens, completionTokens }) => {
    if (!route.endsWith("/chat/completions")) return bound + otherRouteBoundNanoUsd;
    const prompt = BigInt(promptTokens) * perPromptToken;
    return bound + characterLeeway * (prompt + BigInt(completionTokens) * perCompletionToken);
  }, minBoundNanoUsd);
}

/**
 * Checks the charges for requests that no client knows: there may be as many as attempts without a
 * known request id.
 */
function judgeUnknownRequests(
  observations: readonly Observation[],
  usage: readonly LedgerEntry[],
): string[] {
  const known = new Set(
    observations.flatMap(({ requestId, eventId = requestId }) => [requestId, eventId]),
  );
  // Each attempt of a keyed request has its own id; the client knows the last one.
  const unattributed = observations.reduce(
    (sum, one) => sum + one.attemptsWithoutId + (one.attempts - 1),
    0,
  );
  const unknown = usage.filter(
    ({ amountNanoUsd, requestId, eventId }) =>
      amountNanoUsd < 0n && !known.has(requestId) && !known.has(eventId),
  );
  if (unknown.length <= unattributed) return [];
  return [`${unknown.length} charges for unknown requests; at most ${unattributed} are possible`];
}

function problemsOfComplete(
  one: Observation,
  own: readonly LedgerEntry[],
  isGenerated: boolean,
): string[] {
  const { costNanoUsd, expectedNanoUsd } = one;
  const problems = isGenerated ? [] : ["complete, but the provider was never called"];
  if (one.reportsCost && costNanoUsd === undefined) problems.push("complete, but reports no cost");
  // Creating a job is free.
  if (costNanoUsd === undefined && expectedNanoUsd === undefined && !one.reportsCost) {
    return sum(own) > 0n ? [...problems, "charged, but it is free"] : problems;
  }
  const [entry] = own;
  if (entry === undefined || own.length > 1) {
    return [...problems, `complete, but has ${own.length} entries`];
  }
  return [...problems, ...problemsOfCharge(one, entry)];
}

function problemsOfCharge(
  { customer, costNanoUsd, expectedNanoUsd, mayGrow }: Observation,
  entry: LedgerEntry,
): string[] {
  const problems: string[] = [];
  // The entry of a second run refers to the first run, which was charged.
  const charged = entry.chargedForKey ?? -entry.amountNanoUsd;
  const { uncollectedNanoUsd: uncollected } = entry;
  if (customer.isRich && uncollected > 0n && !mayGrow) problems.push(`${uncollected} uncollected`);
  if (costNanoUsd !== undefined && charged !== costNanoUsd) {
    problems.push(`reported ${costNanoUsd}, charged ${charged}`);
  }
  if (expectedNanoUsd !== undefined && charged + uncollected !== expectedNanoUsd) {
    problems.push(`expected ${expectedNanoUsd}, charged ${charged}, ${uncollected} uncollected`);
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
    if (calls.some((call) => hasGenerated(call) || hasLostClient(call))) continue;
    violations.push(`${requestId}: charged, but the provider generated nothing`);
  }
  return violations;
}

function hasGenerated({ status }: RecordedCall): boolean {
  return status === 101 || status === 200;
}

/** Whether a stream of chat was left before its provider responded: its client pays for the prompt. */
function hasLostClient({ stream, promptTokens, outcome }: RecordedCall): boolean {
  return stream && promptTokens > 0 && (outcome === "client_disconnected" || outcome === "hung");
}

function sum(entries: readonly LedgerEntry[] = []): bigint {
  return entries.reduce((total, { amountNanoUsd }) => total - amountNanoUsd, 0n);
}
