import { timestampDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type { OperatorService, UpdateKeyRequest } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import { checkChannel, checkPolicy, type KeyPolicy } from "../key-policy.ts";
import {
  createKey,
  listKeys,
  newKeyId,
  requireKey,
  requireUsableKey,
  revokeKey,
  rotateKey,
  type StoredKey,
  updateKey,
} from "../keys.ts";
import { changeLimits, findLimits, hasLimits } from "../limits.ts";
import { withLockedRow } from "../row-lock.ts";
import { pageSize, toKey } from "./messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxGraceSeconds = 30 * 24 * 60 * 60;

/** The operator's calls about keys. */
export function implementKeys({ prisma, ledger, notices, now }: OperatorParts) {
  /** Makes the edges look the key up again. They know its texts by their hashes. */
  function publishChange({ secrets }: StoredKey): void {
    for (const { keyHash } of secrets) {
      notices.publish("key.changed", Buffer.from(keyHash).toString("hex"));
    }
  }

  async function describe(keys: readonly StoredKey[]) {
    const limited = keys.filter(({ isLimited }) => isLimited).map(({ id }) => id);
    const limits = await findLimits(ledger, limited);
    return keys.map((key) => toKey(key, limits.get(key.id)));
  }

  async function describeOne(stored: StoredKey) {
    const [details] = await describe([stored]);
    return details === undefined ? {} : { details };
  }

  return {
    async createKey({ account, channel, limits, expiresAt, ...request }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const { name, owner, tags, models } = request;
      const expiry = expiresAt === undefined ? null : timestampDate(expiresAt);
      const policy: KeyPolicy = { name, owner, tags, models, expiresAt: expiry };
      checkChannel(channel);
      checkPolicy(policy, now());
      const keyId = newKeyId();
      const isLimited = hasLimits(limits);
      // Before the key exists, so that it never works without them.
      if (isLimited) await ledger.setLimits({ accountId, ownerId: keyId, limits });
      const created = { keyId, accountId, channel, policy, isLimited };
      const { key, stored } = await createKey(prisma, created);
      return { keyId, key, accountId, ...(await describeOne(stored)) };
    },
    async updateKey(request) {
      const { keyId, limits } = request;
      const policy = changedPolicy(request);
      checkPolicy(policy, now());
      // Before the ledger has them: the flag is false only without limits.
      if (hasLimits(limits?.set)) {
        await requireUsableKey(prisma, keyId);
        await updateKey(prisma, keyId, { isLimited: true });
      }
      const stored = await withLockedRow(prisma, "api_key", keyId, async (transaction) => {
        const { accountId, isLimited } = await requireUsableKey(transaction, keyId);
        const owner = { accountId, ownerId: keyId };
        const isLimitedNow =
          limits === undefined ? isLimited : await changeLimits(ledger, owner, limits);
        return updateKey(transaction, keyId, { ...policy, isLimited: isLimitedNow });
      });
      publishChange(stored);
      const [key] = await describe([stored]);
      return key === undefined ? {} : { key };
    },
    async rotateKey({ keyId, graceSeconds }) {
      if (graceSeconds > maxGraceSeconds) {
        throw invalidParam("grace", "must be at most 30 days");
      }
      const at = now();
      const graceEndsAt = new Date(at.getTime() + graceSeconds * 1_000);
      const { key, stored } = await withLockedRow(prisma, "api_key", keyId, async (transaction) => {
        await requireUsableKey(transaction, keyId);
        return rotateKey(transaction, keyId, at, graceEndsAt);
      });
      publishChange(stored);
      return { key, ...(await describeOne(stored)) };
    },
    async listKeys({ account, limit, beforeKeyId }) {
      const owner = account === "" ? undefined : await requireAccount(prisma, account);
      const { keys, hasMore } = await listKeys(prisma, {
        limit: pageSize(limit),
        beforeKeyId,
        ...(owner && { accountId: owner.id }),
      });
      return { keys: await describe(keys), hasMore };
    },
    async getKey({ keyId }) {
      const [key] = await describe([await requireKey(prisma, keyId)]);
      return key === undefined ? {} : { key };
    },
    async revokeKey({ keyId }) {
      const stored = await revokeKey(prisma, keyId, now());
      publishChange(stored);
      const { revokedAt } = toKey(stored);
      return revokedAt === undefined ? {} : { revokedAt };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Returns the fields that a request sets. */
function changedPolicy(request: UpdateKeyRequest): Partial<KeyPolicy> {
  const { name, owner, tags, models, expiresAt, clearsExpiry } = request;
  return {
    ...(name === undefined ? {} : { name }),
    ...(owner === undefined ? {} : { owner }),
    ...(tags === undefined ? {} : { tags: tags.values }),
    ...(models === undefined ? {} : { models: models.values }),
    ...(expiresAt === undefined ? {} : { expiresAt: timestampDate(expiresAt) }),
    ...(clearsExpiry ? { expiresAt: null } : {}),
  };
}
