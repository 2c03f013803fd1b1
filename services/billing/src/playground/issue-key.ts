import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { shownKey } from "@tollgate/core/key-form";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { requireOpenAccount } from "../accounts.ts";
import type { CallActor } from "../actor.ts";
import type { ApiKey, Prisma, PrismaClient } from "../generated/client.ts";
import { keyBoundsOf } from "../key-bounds.ts";
import { hashOfKey, newKeyText } from "../key-text.ts";
import { newKeyId, playgroundChannel } from "../keys.ts";
import { requestLimitOf } from "../limits.ts";
import { recordKey } from "../operator/key-record.ts";
import { withLockedRow } from "../row-lock.ts";
import { playgroundLimits } from "./playground-limits.ts";

/**
 * The longest response takes 30 minutes, and the console uses a text for 5: a stream ends when the text of
 * its key expires.
 */
const textMs = 40 * 60_000;

export interface PlaygroundParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  now(): Date;
}

export interface PlaygroundKeyRequest {
  actor: CallActor;
  /** The id or the name of the account that pays. */
  account: string;
  dailyNanoUsd: bigint;
}

/**
 * Gives the playground of a person in an account a new text of its key, which works for 40 minutes. A person
 * has one such key in an account for ever, so that a new text has no new budget. Revoked texts do not work
 * again.
 */
export async function issuePlaygroundKey(
  { prisma, ledger, now }: PlaygroundParts,
  { actor, account: name, dailyNanoUsd }: PlaygroundKeyRequest,
): Promise<{ key: string; expiresAt: Date }> {
  if (actor.kind !== "operator" && actor.kind !== "member") {
    throw invalidParam("actor", "must be a person");
  }
  if (dailyNanoUsd === 0n) throw invalidParam("daily_budget_nano_usd", "must be above 0");
  const account = await requireOpenAccount(prisma, name);
  const { id: accountId } = account;
  const bounds = keyBoundsOf(account);
  if (actor.kind === "member" && bounds.maxKeys === 0) {
    const message = "Members of this account may have no keys, and so no playground.";
    throw new GatewayError("invalid_param", message, { param: "account" });
  }
  const limits = playgroundLimits(dailyNanoUsd, bounds.limits);
  const policy = { models: bounds.models, requestsPerMinute: requestLimitOf(limits) };
  const expiresAt = new Date(now().getTime() + textMs);
  const key = await withLockedRow(prisma, "account", accountId, async (transaction) => {
    const owned = { accountId, memberId: actor.id, channel: playgroundChannel };
    const found = await transaction.apiKey.findFirst({ where: owned });
    const keyId = found?.id ?? newKeyId();
    // Before the text works, so that it never works without them.
    await ledger.setLimits({ accountId, ownerId: keyId, limits });
    if (found === null) {
      const named = { id: keyId, name: "Playground", owner: actor.name };
      const after = await transaction.apiKey.create({
        data: { ...owned, ...named, ...policy, isLimited: true },
        include: { secrets: true },
      });
      const change = { after, limits: { after: limits } };
      await recordKey(transaction, actor, "IssuePlaygroundKey", change);
    } else {
      await deleteEndedTexts(transaction, found, now());
      const data = { ...policy, revokedAt: null };
      await transaction.apiKey.update({ where: { id: keyId }, data });
    }
    return addText(transaction, keyId, expiresAt);
  });
  return { key, expiresAt };
}

/** Deletes the texts that have expired; of a key that was revoked, all. */
async function deleteEndedTexts(
  transaction: Prisma.TransactionClient,
  { id: keyId, revokedAt }: Pick<ApiKey, "id" | "revokedAt">,
  now: Date,
): Promise<void> {
  const ended = revokedAt === null ? { expiresAt: { lte: now } } : {};
  await transaction.keySecret.deleteMany({ where: { keyId, ...ended } });
}

async function addText(
  transaction: Prisma.TransactionClient,
  keyId: string,
  expiresAt: Date,
): Promise<string> {
  const key = newKeyText();
  const keyHash = new Uint8Array(hashOfKey(key));
  const data = { keyHash, keyId, shownKey: shownKey(key), expiresAt };
  await transaction.keySecret.create({ data });
  return key;
}
