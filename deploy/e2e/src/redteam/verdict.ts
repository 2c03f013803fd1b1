import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import { type Attack, isEstimable } from "./attack.ts";
import { type Attacker, budgetNanoUsd } from "./attacker.ts";
import type { Sight } from "./carry-out.ts";

/** An attack that was carried out. */
export interface CarriedOut {
  attack: Attack;
  sights: readonly Sight[];
}

/** What an account was charged in all, in nano-USD, beside the provider's count. */
export interface AccountFigures {
  name: string;
  requests: number;
  calls: number;
  counted: bigint;
  charged: bigint;
  uncollected: bigint;
  /** The calls whose usage the provider did not report, and what they were charged of its count. */
  estimated: number;
  ratio: number;
}

export interface RedteamVerdict {
  /** One text each, with what reproduces it. */
  violations: string[];
  accounts: AccountFigures[];
}

/** A call that the provider served for an attack, with the entries of its request. */
interface ServedCall {
  attack: Attack;
  recorded: RecordedCall;
  entries: readonly Entry[];
  counted: bigint;
  charged: bigint;
  /** Whether its client has seen that it failed. */
  isSeen: boolean;
}

const least = 0.85;
const most = 1.15;
/** Accounts with fewer estimated calls are compared together: one call may miss the bounds. */
const enough = 50;

/**
 * Compares what the ledger has charged each account with what the provider counted for its calls. The
 * provider's calls are attributed by the trace that the client began, and by nothing that the ledger says.
 */
export function judgeAttacks(
  seed: number,
  carriedOut: readonly CarriedOut[],
  calls: readonly RecordedCall[],
  entries: readonly Entry[],
): RedteamVerdict {
  const byRequest = Map.groupBy(entries, ({ requestId }) => requestId);
  const attackOf = attributor(carriedOut);
  const failuresSeen = requestsSeenToFail(carriedOut);
  const violations: string[] = [];
  const served: ServedCall[] = [];
  for (const recorded of calls) {
    const attack = attackOf(recorded);
    if (attack === undefined) {
      if (recorded.model !== "") violations.push(`a call of nobody: ${JSON.stringify(recorded)}`);
      continue;
    }
    const own = byRequest.get(recorded.requestId ?? "") ?? [];
    const isSeen = failuresSeen.has(recorded.requestId ?? "");
    const one = { attack, recorded, entries: own, charged: sumCharged(own), isSeen };
    const isCounted = isServed(attack, recorded) || isEndedBefore(one);
    served.push({ ...one, counted: isCounted ? attack.call.cost(recorded) : 0n });
  }
  const byAccount = Map.groupBy(served, ({ attack }) => attack.attacker);
  const few: ServedCall[] = [];
  const accounts = [...new Set(carriedOut.map(({ attack }) => attack.attacker))].map((attacker) => {
    const own = byAccount.get(attacker) ?? [];
    const ownEntries = entries.filter(({ accountId }) => accountId === attacker.accountId);
    const problems = isPoor(attacker)
      ? problemsOfPoor(attacker, own, ownEntries)
      : problemsOfRich(own, ownEntries);
    const estimated = isPoor(attacker) ? [] : own.filter(isEstimated);
    if (estimated.length < enough) few.push(...estimated);
    else problems.push(...problemsOfEstimates(estimated));
    violations.push(...problems.map((problem) => `seed ${seed}, ${attacker.name}: ${problem}`));
    const requests = carriedOut.filter(({ attack }) => attack.attacker === attacker).length;
    const sums = { ...sumsOf(own, ownEntries), ratio: ratioOf(estimated) };
    return {
      name: attacker.name,
      requests,
      calls: own.length,
      estimated: estimated.length,
      ...sums,
    };
  });
  violations.push(
    ...problemsOfEstimates(few).map((problem) => `seed ${seed}, together: ${problem}`),
  );
  return { violations, accounts };
}

/** Returns a function that finds the attack of a call. Live audio sends no trace, but its request's id. */
function attributor(carriedOut: readonly CarriedOut[]) {
  const byNumber = new Map(carriedOut.map(({ attack }) => [attack.number, attack]));
  const byRequest = new Map(
    carriedOut.flatMap(({ attack, sights }) => sights.map(({ requestId }) => [requestId, attack])),
  );
  return ({ traceparent, requestId }: RecordedCall): Attack | undefined => {
    const known = byRequest.get(requestId ?? "");
    const number = /^00-5eed([0-9a-f]{28})-/.exec(traceparent ?? "")?.[1];
    return known ?? (number === undefined ? undefined : byNumber.get(Number.parseInt(number, 16)));
  };
}

/**
 * Returns the ids of the requests whose failure their clients have received. That of an attacker who revokes
 * keys may be the revocation.
 */
function requestsSeenToFail(carriedOut: readonly CarriedOut[]): ReadonlySet<string> {
  const others = carriedOut.filter(({ attack }) => !revokesKeys(attack));
  const sights = others.flatMap((one) => one.sights);
  const failed = sights.filter(({ status, text }) => status >= 400 || hasErrorEvent(text));
  return new Set(failed.flatMap(({ requestId }) => requestId ?? []));
}

/** Whether a stream of one of the wires has an event that says that it failed. */
function hasErrorEvent(text: string): boolean {
  return /^event: (?:error|response\.failed)\b|^data: ?\{"error":/m.test(text);
}

/**
 * Returns whether a client has left, or revoked its key, before it saw that the provider of its stream failed:
 * the client has ended what is charged then.
 */
function isEndedBefore({
  attack,
  recorded,
  charged,
  isSeen,
}: Omit<ServedCall, "counted">): boolean {
  return attack.fails && recorded.stream && charged > 0n && canEnd(attack) && !isSeen;
}

function canEnd(attack: Attack): boolean {
  return attack.departure !== undefined || revokesKeys(attack);
}

function revokesKeys({ attacker }: Attack): boolean {
  return attacker.tactic === "changes keys";
}

/** Returns whether the provider has begun to generate, for a request that it received as a whole. */
function isServed({ call }: Attack, { status, outcome, upload, route }: RecordedCall): boolean {
  if (status >= 400 || outcome === "failed" || outcome === "refused") return false;
  const isForm = route.includes("/ocr") || route.endsWith("/transcriptions");
  return !isForm || call.isAudioStream === true || upload !== undefined;
}

function problemsOfRich(served: readonly ServedCall[], entries: readonly Entry[]): string[] {
  const problems = served.flatMap((one) => {
    const problem = problemOfCall(one);
    return problem === undefined ? [] : [`${problem}: ${describeServed(one)}`];
  });
  const { jobsCounted, jobsCharged, uncollected } = sumsOf(served, entries);
  if (jobsCounted !== jobsCharged) problems.push(`jobs: ${jobsCharged} of ${jobsCounted} charged`);
  if (uncollected > 0n) problems.push(`${uncollected} uncollected`);
  const known = new Set(served.map(({ recorded }) => recorded.requestId));
  for (const { amountNanoUsd, requestId, kind, alias } of entries) {
    if (kind !== "usage" || amountNanoUsd === 0n || isOfJob(alias) || known.has(requestId))
      continue;
    problems.push(`${requestId} charged ${-amountNanoUsd}, but the provider never received it`);
  }
  return problems;
}

/**
 * A wallet, or a budget, pays less than its cost for the last call that it takes, and for each call that costs
 * more than can be estimated.
 */
function problemsOfPoor(
  { means, credits }: Attacker,
  served: readonly ServedCall[],
  entries: readonly Entry[],
): string[] {
  const { counted, charged } = sumsOf(served, entries);
  const highest = served.reduce((most, one) => (one.counted > most ? one.counted : most), 0n);
  const times = means === "empty" ? 0 : credits;
  const lastCalls = BigInt(times) * highest;
  const beyond = served.filter(({ attack }) => !isEstimable(attack.call)).map(shortOf);
  const all = `charged ${charged} in all, the provider counted ${counted}`;
  const problems: string[] = [];
  if (counted - charged > lastCalls + sum(beyond)) {
    problems.push(`more than its last calls: ${all}`);
  }
  const short = served.filter(({ attack }) => isEstimable(attack.call) && !isOfJob(attack.alias));
  const others = short.map(uncollectedOf).toSorted(descending).slice(times);
  if (Number(sum(others)) > (1 - least) * Number(counted)) {
    problems.push(`${sum(others)} uncollected of more calls than its last: ${all}`);
  }
  if (means === "budget" && charged > budgetNanoUsd) problems.push(`more than its budget: ${all}`);
  return problems;
}

function shortOf({ attack, counted, charged }: ServedCall): bigint {
  return attack.fails || counted < charged ? 0n : counted - charged;
}

function uncollectedOf({ entries }: ServedCall): bigint {
  return sum(entries.map(({ uncollectedNanoUsd }) => uncollectedNanoUsd));
}

function descending(one: bigint, other: bigint): number {
  return Number(other - one);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** What the provider has not reported is within 15 % of its count, in all. */
function problemsOfEstimates(estimated: readonly ServedCall[]): string[] {
  const ratio = ratioOf(estimated);
  if (ratio >= least && ratio <= most) return [];
  return [`charged ${ratio} of the provider's count, most is missing of ${worst(estimated)}`];
}

/** Whether a client ended the call, and the provider did not report all of its usage. */
function isEstimated(one: ServedCall): boolean {
  const { attack, recorded, entries } = one;
  if (isOfJob(attack.alias)) return false;
  if (attack.fails) return isEndedBefore(one);
  if (attack.call.isAudioStream) return true;
  // Some report the prompt at the start.
  const isCut = recorded.outcome === "client_disconnected";
  return recorded.stream && (isCut || !entries.some(({ basis }) => basis === "provider"));
}

function ratioOf(calls: readonly ServedCall[]): number {
  const counted = sum(calls.map((one) => one.counted));
  const charged = sum(calls.map((one) => one.charged));
  return counted === 0n ? 1 : Number(charged) / Number(counted);
}

/** What is reported is charged exactly, a failure is free, and nothing else is. */
function problemOfCall(one: ServedCall): string | undefined {
  const { attack, entries, counted, charged } = one;
  // A job's cost is an entry of its own, and a copy's is that of the run that was charged.
  if (isOfJob(attack.alias) || entries.some(({ reference }) => reference !== "")) return undefined;
  if (attack.fails) return problemOfFailure(one);
  if (attack.call.isAudioStream) return undefined;
  if (counted > 0n && charged === 0n) return "served for nothing";
  return !isEstimated(one) && charged !== counted ? "not charged as reported" : undefined;
}

/**
 * A client may leave before its provider fails. It then pays for a stream what its provider counted, within
 * 15 % of all such streams, and all of a speech.
 */
function problemOfFailure(one: ServedCall): string | undefined {
  const { attack, counted, charged, isSeen } = one;
  if (charged === 0n) return undefined;
  if (isSeen || !canEnd(attack)) return "charged for a failure";
  if (isEndedBefore(one)) return undefined;
  return Number(charged) > most * Number(counted) ? "charged too much before a failure" : undefined;
}

function isOfJob(alias: string): boolean {
  return alias.startsWith("test-read");
}

function isPoor({ means }: Attacker): boolean {
  return means === "empty" || means === "micro" || means === "budget";
}

/** Failures are judged call by call, and are in no sum of what is counted. */
function sumsOf(served: readonly ServedCall[], entries: readonly Entry[]) {
  const isJob = ({ attack }: ServedCall) => isOfJob(attack.alias);
  const countedOf = (calls: readonly ServedCall[]) =>
    sum(calls.map((one) => (one.attack.fails ? 0n : one.counted)));
  return {
    counted: countedOf(served),
    charged: sumCharged(entries),
    uncollected: sum(entries.map(({ uncollectedNanoUsd }) => uncollectedNanoUsd)),
    jobsCounted: countedOf(served.filter(isJob)),
    jobsCharged: sumCharged(entries.filter(({ alias }) => isOfJob(alias))),
  };
}

function sumCharged(entries: readonly Entry[]): bigint {
  const ofCalls = entries.filter(({ kind }) => kind === "usage" || kind === "failure");
  return -sum(ofCalls.map(({ amountNanoUsd }) => amountNanoUsd));
}

/** Returns the calls that miss the most, as a help to find why. */
function worst(served: readonly ServedCall[]): string {
  const missing = ({ counted, charged }: ServedCall) => Math.abs(Number(counted - charged));
  const sorted = served.toSorted((one, other) => missing(other) - missing(one));
  return sorted.slice(0, 3).map(describeServed).join("; ");
}

function describeServed({ attack, recorded, entries, counted, charged }: ServedCall): string {
  const bases = entries.map(({ kind, basis }) => `${kind} ${basis}`).join(" and ") || "no entry";
  const { outcome, promptTokens, completionTokens, requestId } = recorded;
  const provider = `${outcome}, ${promptTokens} + ${completionTokens} tokens, ${requestId}`;
  const { number, description } = attack;
  return `request ${number} (${description}) charged ${charged} (${bases}), counted ${counted} (${provider})`;
}
