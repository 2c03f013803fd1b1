import type { Limits } from "@tollgate/proto/tollgate/v1/limits";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import type { Prisma } from "../generated/client.ts";
import {
  fromStoredLimits,
  keyBoundsOf,
  limitsWithin,
  modelsWithin,
  toStoredLimits,
} from "../key-bounds.ts";
import { requireRoomForKey, type StoredKey } from "../keys.ts";
import { hasLimits } from "../limits.ts";
import type { OperatorParts } from "./parts.ts";

/** The rules for a change of a key by one actor. */
export interface KeyChangeRules {
  /** Returns the models to set. Throws `invalid_param`. */
  models(wanted: string[]): string[];
  /** Returns the limits to set. Throws `invalid_param`. */
  limits(wanted: Limits): Limits;
  /**
   * Throws `invalid_param` for a key that has expired, where the account has as many keys as it may have. Call it in
   * a transaction that has locked the account's row.
   */
  requireRoom(): Promise<void>;
  /** Returns the ceiling to store with new limits; no field if the ceiling does not change. */
  ceiling(limits: Limits): Pick<Prisma.ApiKeyUpdateInput, "limitCeiling">;
}

/**
 * Resolves with the rules for a change by an actor: members must stay within the bounds of the account, and
 * a developer also within the ceiling of the key, which an admin or an operator has set.
 */
export async function changeRulesOf(
  { actor, catalog, now }: OperatorParts,
  transaction: Prisma.TransactionClient,
  key: StoredKey,
): Promise<KeyChangeRules> {
  const isOwner = key.memberId === actor.id;
  const ceiling = (limits: Limits) =>
    key.memberId === null || isOwner
      ? {}
      : { limitCeiling: toStoredLimits(hasLimits(limits) ? limits : undefined) };
  if (actor.kind !== "member") {
    return {
      models: (wanted) => wanted,
      limits: (wanted) => wanted,
      requireRoom: async () => {},
      ceiling,
    };
  }
  const account = await transaction.account.findUniqueOrThrow({ where: { id: key.accountId } });
  const bounds = keyBoundsOf(account);
  const hasCeiling = actor.memberRole === MemberRole.DEVELOPER && key.limitCeiling !== null;
  const highest = hasCeiling ? fromStoredLimits(key.limitCeiling) : undefined;
  return {
    models: (wanted) => modelsWithin(wanted, bounds.models, catalog()),
    limits: (wanted) => limitsWithin(limitsWithin(wanted, highest), bounds.limits),
    requireRoom: async () => {
      const at = now();
      if (key.expiresAt === null || key.expiresAt > at) return;
      await requireRoomForKey(transaction, key.accountId, bounds.maxKeys, at);
    },
    ceiling,
  };
}
