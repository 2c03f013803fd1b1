import { timestampDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount, requireOpenAccount } from "../accounts.ts";
import { isVisibleKey, ownKeysOf, requireVisibleKey } from "../actor.ts";
import { keyBoundsOf, limitsWithin, modelsWithin } from "../key-bounds.ts";
import { checkChannel, checkPolicy, type KeyPolicy } from "../key-policy.ts";
import {
  createKey,
  newKeyId,
  requireKey,
  requireKeyOfHash,
  requireRoomForKey,
  unknownText,
} from "../keys.ts";
import { hasLimits, requestLimitOf } from "../limits.ts";
import { listKeys } from "../listed-keys.ts";
import { withLockedRow } from "../row-lock.ts";
import { pageSize } from "./account-messages.ts";
import { describeChangedKey, describeKey, describeKeys } from "./described-keys.ts";
import { recordKey } from "./key-record.ts";
import { nameIds } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

/** The operator's calls that create and read keys. */
export function implementKeys(parts: OperatorParts) {
  const { prisma, ledger, actor, catalog, now } = parts;
  return {
    async createKey({ account: accountName, channel, limits: wanted, expiresAt, ...request }) {
      const account = await requireOpenAccount(prisma, accountName);
      const { id: accountId } = account;
      const { name, owner, tags } = request;
      const isMember = actor.kind === "member";
      if (isMember && channel !== "") throw invalidParam("channel", "is chosen by operators");
      const bounds = keyBoundsOf(account);
      const models = isMember
        ? modelsWithin(request.models, bounds.models, catalog())
        : request.models;
      const limits = isMember ? limitsWithin(wanted, bounds.limits) : wanted;
      const expiry = expiresAt === undefined ? null : timestampDate(expiresAt);
      const policy: KeyPolicy = { name, owner, tags, models, expiresAt: expiry };
      checkChannel(channel);
      checkPolicy(policy, now());
      const keyId = newKeyId();
      const isLimited = hasLimits(limits);
      // Before the key exists, so that it never works without them.
      if (isLimited) await ledger.setLimits({ accountId, ownerId: keyId, limits });
      const requestsPerMinute = requestLimitOf(limits);
      const memberId = actor.kind === "member" ? actor.id : null;
      const created = { keyId, accountId, memberId, channel, policy, isLimited, requestsPerMinute };
      const { key, stored } = await withLockedRow(
        prisma,
        "account",
        accountId,
        async (transaction) => {
          if (isMember) await requireRoomForKey(transaction, accountId, bounds.maxKeys, now());
          const made = await createKey(transaction, created);
          const change = { after: made.stored, ...(isLimited && { limits: { after: limits } }) };
          await recordKey(transaction, actor, "CreateKey", change);
          return made;
        },
      );
      return { keyId, key, accountId, details: await describeChangedKey(parts, stored) };
    },
    async listKeys({ account, limit, beforeKeyId, search, order }) {
      const owner = account === "" ? undefined : await requireAccount(prisma, account);
      const memberId = ownKeysOf(actor);
      const { keys, hasMore } = await listKeys(prisma, {
        limit: pageSize(limit),
        ...{ beforeKeyId, search: search.trim(), order },
        ...(owner && { accountId: owner.id }),
        ...(memberId !== undefined && { memberId }),
      });
      const accountIds = keys.map(({ accountId }) => accountId);
      const [described, names] = await Promise.all([
        describeKeys(parts, keys),
        nameIds(prisma, { accountIds }),
      ]);
      return { keys: described, hasMore, names };
    },
    async getKey({ keyId, keyHash }) {
      const isByHash = keyHash.length > 0;
      const stored = await (isByHash
        ? requireKeyOfHash(prisma, keyHash)
        : requireKey(prisma, keyId));
      // The error of a key of another account is that of a text which no key has.
      if (isByHash && !isVisibleKey(actor, stored)) throw unknownText();
      requireVisibleKey(actor, stored);
      const names = await nameIds(prisma, { accountIds: [stored.accountId] });
      return { key: await describeKey(parts, stored), names };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
