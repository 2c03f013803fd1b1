import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import type { Attack } from "./attack.ts";
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
  const violations: string[] = [];
  const served: ServedCall[] = [];
  for (const recorded of calls) {
    const attack = attackOf(recorded);
    if (attack === undefined) {
      if (recorded.model !== "") violations.push(`a call of nobody: ${JSON.stringify(recorded)}`);
      continue;
    }
    const own = byRequest.get(recorded.requestId ?? "") ?? [];
    const counted = isServed(attack, recorded) ? attack.call.cost(recorded) : 0n;
    served.push({ attack, recorded, entries: own, counted, charged: sumCharged(own) });
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

/** The admission policy lets a wallet, or a budget, pay less than its cost for the last call that it takes. */
function problemsOfPoor(
  { means, credits }: Attacker,
  served: readonly ServedCall[],
  entries: readonly Entry[],
): string[] {
  const { counted, charged } = sumsOf(served, entries);
  const highest = served.reduce((most, one) => (one.counted > most ? one.counted : most), 0n);
  const lastCalls = means === "empty" ? 0n : BigInt(credits) * highest;
  const all = `charged ${charged} in all, the provider counted ${counted}`;
  const problems: string[] = [];
  if (counted - charged > lastCalls) problems.push(`more than its last calls: ${all}`);
  if (means === "budget" && charged > budgetNanoUsd) problems.push(`more than its budget: ${all}`);
  return problems;
}

/** What the provider has not reported is within 15 % of its count, in all. */
function problemsOfEstimates(estimated: readonly ServedCall[]): string[] {
  const ratio = ratioOf(estimated);
  if (ratio >= least && ratio <= most) return [];
  return [`charged ${ratio} of the provider's count, most is missing of ${worst(estimated)}`];
}

/** Whether a client ended the call, and the provider did not report its usage. */
function isEstimated({ attack, recorded, entries }: ServedCall): boolean {
  if (attack.fails || isOfJob(attack.alias)) return false;
  if (attack.call.isAudioStream) return true;
  return recorded.stream && !entries.some(({ basis }) => basis === "provider");
}

function ratioOf(calls: readonly ServedCall[]): number {
  const counted = calls.reduce((sum, one) => sum + one.counted, 0n);
  const charged = calls.reduce((sum, one) => sum + one.charged, 0n);
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

/** A client may leave before its provider fails, and then pays what was delivered. */
function problemOfFailure({ attack, counted, charged }: ServedCall): string | undefined {
  if (attack.departure === undefined && charged !== 0n) return "charged for a failure";
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
    calls.reduce((sum, { attack, counted }) => (attack.fails ? sum : sum + counted), 0n);
  return {
    counted: countedOf(served),
    charged: sumCharged(entries),
    uncollected: entries.reduce((sum, one) => sum + one.uncollectedNanoUsd, 0n),
    jobsCounted: countedOf(served.filter(isJob)),
    jobsCharged: sumCharged(entries.filter(({ alias }) => isOfJob(alias))),
  };
}

function sumCharged(entries: readonly Entry[]): bigint {
  return entries
    .filter(({ kind }) => kind === "usage" || kind === "failure")
    .reduce((sum, { amountNanoUsd }) => sum - amountNanoUsd, 0n);
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
