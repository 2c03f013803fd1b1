import { create } from "@bufbuild/protobuf";
import { invalidParam } from "@tollgate/core/errors";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import {
  LimitKind,
  type Limits,
  LimitsSchema,
  type LimitUse,
} from "@tollgate/proto/tollgate/v1/limits";
import type { LimitChanges } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";

type Ledger = Client<typeof LedgerService>;

/** A key or an account, whose limits the ledger has. */
export interface LimitOwner {
  accountId: string;
  ownerId: string;
}

/** Returns whether there is any limit. */
export function hasLimits(limits: Limits | undefined): limits is Limits {
  if (limits === undefined) return false;
  return Object.values(fields).some((field) => limits[field] !== undefined);
}

/** Returns whether a key has limits for each of its end users. */
export function limitsEndUsers(limits: Limits | undefined): boolean {
  return (limits?.budgetPerUser ?? limits?.requestsPerMinutePerUser) !== undefined;
}

/** Returns the limit of requests as the database has it: null where there is none. */
export function requestLimitOf(limits: Limits | undefined): bigint | null {
  const { requestsPerMinute } = limits ?? {};
  return requestsPerMinute === undefined ? null : BigInt(requestsPerMinute);
}

/** Resolves with the limits of those owners that have any, by owner, and what is used of them. */
export async function findLimits(
  ledger: Ledger,
  ownerIds: readonly string[],
): Promise<Map<string, LimitUse>> {
  if (ownerIds.length === 0) return new Map();
  const { uses } = await ledger.listLimits({ ownerIds: [...ownerIds] });
  return new Map(uses.map((use) => [use.ownerId, use]));
}

/**
 * Changes the limits of an owner in the ledger, and resolves with those before and after. Calls for
 * one owner must take turns: the present limits are read first. `check` returns the limits to set, or
 * throws. Throws `invalid_param` for a limit that is not valid.
 */
export async function changeLimits(
  ledger: Ledger,
  owner: LimitOwner,
  { set, remove }: LimitChanges,
  check: (after: Limits) => Limits = (after) => after,
): Promise<{ before: Limits | undefined; after: Limits }> {
  const current = (await findLimits(ledger, [owner.ownerId])).get(owner.ownerId)?.limits;
  const limits = create(LimitsSchema, { ...current, ...definedOf(set) });
  for (const kind of remove) delete limits[fieldOf(kind)];
  const checked = check(limits);
  await ledger.setLimits({ ...owner, limits: checked });
  return { before: current, after: checked };
}

function definedOf(limits: Limits | undefined): Partial<Limits> {
  const entries = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

function fieldOf(kind: LimitKind) {
  const field = fields[kind];
  if (field !== undefined) return field;
  const problem =
    "must name budget, requests, tokens, parallel, budget per user or requests per user";
  throw invalidParam("limits.remove", problem);
}

const fields: Readonly<Partial<Record<LimitKind, Exclude<keyof Limits, `$${string}`>>>> = {
  [LimitKind.BUDGET]: "budget",
  [LimitKind.REQUESTS]: "requestsPerMinute",
  [LimitKind.TOKENS]: "tokensPerMinute",
  [LimitKind.PARALLEL]: "parallel",
  [LimitKind.BUDGET_PER_USER]: "budgetPerUser",
  [LimitKind.REQUESTS_PER_USER]: "requestsPerMinutePerUser",
};
