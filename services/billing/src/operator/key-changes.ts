import { timestampDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type { OperatorService, UpdateKeyRequest } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import { requireVisibleKey } from "../actor.ts";
import type { Prisma } from "../generated/client.ts";
import { checkPolicy, type KeyPolicy } from "../key-policy.ts";
import {
  requireKey,
  requireUsableKey,
  revokeKey,
  rotateKey,
  type StoredKey,
  updateKey,
} from "../keys.ts";
import { changeLimits, hasLimits, requestLimitOf } from "../limits.ts";
import { lockRow, withLockedRow } from "../row-lock.ts";
import { toKey } from "./account-messages.ts";
import { describeChangedKey } from "./described-keys.ts";
import { changeRulesOf } from "./key-change-rules.ts";
import { publishKeyChange } from "./key-notice.ts";
import { recordKey } from "./key-record.ts";
import type { OperatorParts } from "./parts.ts";

const maxGraceSeconds = 30 * 24 * 60 * 60;

/** The operator's calls that change a key. */
export function implementKeyChanges(parts: OperatorParts) {
  const { prisma, ledger, notices, actor, now } = parts;
  return {
    async updateKey(request) {
      const { keyId, limits } = request;
      const changes = changedPolicy(request);
      checkPolicy(changes, now());
      // Before the ledger has them: the flag is false only without limits.
      if (hasLimits(limits?.set)) {
        requireVisibleKey(actor, await requireUsableKey(prisma, keyId));
        await updateKey(prisma, keyId, { isLimited: true });
      }
      const stored = await withLockedKey(parts, request, async (transaction) => {
        const before = await requireUsableKey(transaction, keyId);
        requireVisibleKey(actor, before);
        const owner = { accountId: before.accountId, ownerId: keyId };
        const rules = await changeRulesOf(parts, transaction, before);
        if (changes.expiresAt !== undefined) await rules.requireRoom();
        const policy = {
          ...changes,
          ...(changes.models && { models: rules.models(changes.models) }),
        };
        const changed = limits && (await changeLimits(ledger, owner, limits, rules.limits));
        const limited = changed && {
          ...rules.ceiling(changed.after),
          isLimited: hasLimits(changed.after),
          requestsPerMinute: requestLimitOf(changed.after),
        };
        const after = await updateKey(transaction, keyId, { ...policy, ...limited });
        await recordKey(transaction, actor, "UpdateKey", { before, after, limits: changed });
        return after;
      });
      publishChange(notices, stored);
      return { key: await describeChangedKey(parts, stored) };
    },
    async rotateKey({ keyId, graceSeconds }) {
      if (graceSeconds > maxGraceSeconds) {
        throw invalidParam("grace", "must be at most 30 days");
      }
      const at = now();
      const graceEndsAt = new Date(at.getTime() + graceSeconds * 1_000);
      const { key, stored } = await withLockedRow(prisma, "api_key", keyId, async (transaction) => {
        const before = await requireUsableKey(transaction, keyId);
        requireVisibleKey(actor, before);
        const rotated = await rotateKey(transaction, keyId, at, graceEndsAt);
        await recordKey(transaction, actor, "RotateKey", { before, after: rotated.stored });
        return rotated;
      });
      publishChange(notices, stored);
      return { key, details: await describeChangedKey(parts, stored) };
    },
    async revokeKey({ keyId }) {
      const stored = await withLockedRow(prisma, "api_key", keyId, async (transaction) => {
        const before = await requireKey(transaction, keyId);
        requireVisibleKey(actor, before);
        if (before.revokedAt !== null) return before;
        const after = await revokeKey(transaction, keyId, now());
        await recordKey(transaction, actor, "RevokeKey", { before, after });
        return after;
      });
      publishChange(notices, stored);
      const { revokedAt } = toKey(stored);
      return revokedAt === undefined ? {} : { revokedAt };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/**
 * Runs a change of a key in a transaction that has locked the row of the key. A member who changes its expiry
 * needs room for a key of the account: then the row of the account is locked first.
 */
function withLockedKey<Result>(
  { prisma, actor }: OperatorParts,
  request: UpdateKeyRequest,
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  const { keyId } = request;
  const countsKeys = actor.kind === "member" && changedPolicy(request).expiresAt !== undefined;
  if (!countsKeys) return withLockedRow(prisma, "api_key", keyId, work);
  return withLockedRow(prisma, "account", actor.accountId, async (transaction) => {
    await lockRow(transaction, "api_key", keyId);
    return work(transaction);
  });
}

/** Makes the edges look the texts of a key up again. */
function publishChange(notices: Notices, { secrets }: StoredKey): void {
  for (const { keyHash } of secrets) publishKeyChange(notices, keyHash);
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
