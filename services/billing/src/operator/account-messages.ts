import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import { type Limits, type LimitUse, LimitUseSchema } from "@tollgate/proto/tollgate/v1/limits";
import {
  type Account as AccountMessage,
  AccountSchema,
  type Key,
  KeySchema,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Account } from "../generated/client.ts";
import { keyBoundsOf } from "../key-bounds.ts";
import type { StoredKey } from "../keys.ts";

/** What the ledger has of an account, besides its money. */
export interface LedgerSide {
  limits?: LimitUse | undefined;
  timeZone?: string | undefined;
}

/** Returns an account as a message. */
export function toAccount(
  account: Account,
  { limits, timeZone = "" }: LedgerSide = {},
): AccountMessage {
  const { id, name, admission, plan, createdAt, frozenAt, closedAt } = account;
  return create(AccountSchema, {
    id,
    name,
    admission,
    plan,
    timeZone,
    createdAt: timestampFromDate(createdAt),
    keyBounds: keyBoundsOf(account),
    contentDays: account.contentDays ?? 0,
    keepsEndUsers: account.keepsEndUsers,
    ...(frozenAt && { frozenAt: timestampFromDate(frozenAt) }),
    ...(closedAt && { closedAt: timestampFromDate(closedAt) }),
    ...(limits && { limits }),
  });
}

/** Returns a key as a message, without its texts' hashes. */
export function toKey(key: StoredKey, limits?: LimitUse): Key {
  const { id, accountId, memberId, channel, name, owner, tags, models } = key;
  const replaced = key.secrets.find(({ expiresAt }) => expiresAt !== null);
  const times = {
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    rotatedAt: key.rotatedAt,
    replacedExpiresAt: replaced?.expiresAt ?? null,
  };
  const set = Object.entries(times).filter((one): one is [string, Date] => one[1] !== null);
  return create(KeySchema, {
    ...{ id, accountId, memberId: memberId ?? "", channel, name, owner, tags, models },
    shownKey: key.secrets[0]?.shownKey ?? "",
    ...Object.fromEntries(set.map(([field, time]) => [field, timestampFromDate(time)])),
    ...(limits && { limits }),
  });
}

/** Returns an account as the audit log shows it. */
export function accountSnapshot(
  account: Account,
  { limits, timeZone }: { limits?: Limits | undefined; timeZone?: string | undefined } = {},
): JsonObject {
  const message = toAccount(account, { limits: limits && limitsOnly(limits), timeZone });
  return toJson(AccountSchema, message, { useProtoFieldName: true }) as JsonObject;
}

/** Returns a key as the audit log shows it, without its texts' hashes. */
export function keySnapshot(key: StoredKey, limits?: Limits): JsonObject {
  const message = toKey(key, limits && limitsOnly(limits));
  return toJson(KeySchema, message, { useProtoFieldName: true }) as JsonObject;
}

/** How much of the limits is used does not belong to a change. */
function limitsOnly(limits: Limits): LimitUse {
  return create(LimitUseSchema, { limits });
}

const defaultPage = 100;
const maxPage = 1_000;

/** Returns how many members a page has. Zero is the default. Throws `invalid_param`. */
export function pageSize(limit: number): number {
  if (limit <= maxPage) return limit === 0 ? defaultPage : limit;
  throw invalidParam("limit", `must be at most ${maxPage}`);
}
