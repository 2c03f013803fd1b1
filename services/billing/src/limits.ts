import { create } from "@bufbuild/protobuf";
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
  const { budget, requestsPerMinute, tokensPerMinute, parallel } = limits;
  return [budget, requestsPerMinute, tokensPerMinute, parallel].some((one) => one !== undefined);
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
 * Changes the limits of an owner in the ledger. `mark` stores whether the owner may have any: before
 * the first is added, and after the last is removed. Throws `invalid_param` for a limit that is not
 * valid.
 */
export async function changeLimits(
  ledger: Ledger,
  owner: LimitOwner,
  { set, remove }: LimitChanges,
  mark: (isLimited: boolean) => Promise<unknown>,
): Promise<void> {
  const current = (await findLimits(ledger, [owner.ownerId])).get(owner.ownerId)?.limits;
  const limits = create(LimitsSchema, { ...current, ...definedOf(set) });
  for (const kind of remove) delete limits[fields[kind]];
  if (hasLimits(limits)) await mark(true);
  await ledger.setLimits({ ...owner, limits });
  if (!hasLimits(limits)) await mark(false);
}

function definedOf(limits: Limits | undefined): Partial<Limits> {
  const entries = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

const fields = {
  [LimitKind.UNSPECIFIED]: "budget",
  [LimitKind.BUDGET]: "budget",
  [LimitKind.REQUESTS]: "requestsPerMinute",
  [LimitKind.TOKENS]: "tokensPerMinute",
  [LimitKind.PARALLEL]: "parallel",
} as const satisfies Readonly<Record<LimitKind, keyof Limits>>;
