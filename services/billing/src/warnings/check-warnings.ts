import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { newId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import { WarningRulesSchema } from "@tollgate/proto/tollgate/v1/warning";
import type { Prisma, Warning } from "../generated/client.ts";
import type { Mailing } from "../mail/mailing.ts";
import { isMailAllowed, openTarget, type Webhooks } from "./channels.ts";
import { accountConditions, type Condition } from "./conditions.ts";
import { type GatewayConditionParts, gatewayConditions } from "./gateway-conditions.ts";
import {
  type BegunWarning,
  kindText,
  slackBody,
  type WarningBatch,
  warningMail,
  webhookBody,
} from "./messages.ts";

export interface WarningParts extends GatewayConditionParts {
  /** Undefined where no mail is sent, and where no webhook can be. */
  mailing: Mailing | undefined;
  webhooks: Webhooks | undefined;
  log: Log;
}

/** How often the rules of an account are checked. */
const checkedEveryMs = 60_000;
const everyMs = 15_000;
const batch = 5;
/** How long a warning that has ended is stored. */
const keptMs = 90 * 24 * 60 * 60 * 1_000;

interface ClaimedRules {
  account_id: string;
  rules: JsonValue;
  checked_at: Date;
}

/** Begins to check the rules of warnings, every minute, by any number of replicas. */
export function watchWarnings(parts: WarningParts): Repeating {
  return repeat(() => checkWarnings(parts), { everyMs });
}

/** Checks the rules that are due. Does not reject: those that cannot be checked are due a minute later. */
export async function checkWarnings(parts: WarningParts): Promise<void> {
  try {
    for (;;) {
      const claimed = await claim(parts);
      await Promise.all(claimed.map((one) => checkOne(parts, one)));
      if (claimed.length < batch) return;
    }
  } catch (error) {
    parts.log.warn({ err: error }, "the rules of warnings cannot be read");
  }
}

/** Takes rules that are due. No other replica checks them within the next minute. */
function claim({ prisma, now }: WarningParts): Promise<ClaimedRules[]> {
  const due = new Date(now().getTime() - checkedEveryMs);
  return prisma.$queryRaw<ClaimedRules[]>`
    UPDATE warning_settings SET checked_at = ${now()}
    WHERE account_id IN (
      SELECT account_id FROM warning_settings WHERE checked_at <= ${due}
      ORDER BY checked_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    RETURNING account_id, rules, checked_at`;
}

async function checkOne(parts: WarningParts, claimed: ClaimedRules): Promise<void> {
  const { prisma, log } = parts;
  const { account_id: accountId } = claimed;
  try {
    const { rules } = fromJson(WarningRulesSchema, claimed.rules);
    const account = await prisma.account.findUnique({ where: { id: accountId } });
    const accountName = account?.name ?? "";
    const isClosed = account !== null && account.closedAt !== null;
    const own = () => (isClosed ? [] : accountConditions(parts, accountId, rules));
    const conditions = await (accountId === "" ? gatewayConditions(parts, rules) : own());
    await apply(parts, claimed, accountName, conditions);
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ account_id: accountId, reason }, "warnings cannot be checked yet");
  }
}

/** Ends the warnings whose conditions do not hold any more, and begins and sends those that are new. */
async function apply(
  parts: WarningParts,
  { account_id: accountId, checked_at: checkedAt }: ClaimedRules,
  accountName: string,
  conditions: readonly Condition[],
): Promise<void> {
  const { prisma, now } = parts;
  const at = now();
  await prisma.$transaction(async (transaction) => {
    // Another replica has claimed them since, or the rules have changed: these conditions are old.
    const [current] = await transaction.$queryRaw<unknown[]>`
      SELECT 1 FROM warning_settings
      WHERE account_id = ${accountId} AND checked_at = ${checkedAt} FOR UPDATE`;
    if (current === undefined) return;
    const open = await transaction.warning.findMany({ where: { accountId, endedAt: null } });
    const holding = new Set(conditions.map(identityOf));
    const ended = open.filter((one) => !holding.has(identityOf(one))).map(({ id }) => id);
    if (ended.length > 0) {
      await transaction.warning.updateMany({ where: { id: { in: ended } }, data: { endedAt: at } });
    }
    const old = new Date(at.getTime() - keptMs);
    await transaction.warning.deleteMany({ where: { accountId, endedAt: { lt: old } } });
    const known = new Set(open.map(identityOf));
    const begun = conditions.filter((one) => !known.has(identityOf(one)));
    if (begun.length === 0) return;
    const data = begun.map(({ kind, subject, keyId = "", title, text }) => ({
      ...{ id: newId("warning"), accountId, kind: kindText(kind), subject, keyId, title, text },
      begunAt: at,
    }));
    await transaction.warning.createMany({ data });
    const warnings = data.map((one, index): BegunWarning => {
      const { id, title, text, keyId, begunAt } = one;
      return { id, title, text, keyId, begunAt, kind: begun[index]?.kind ?? 0 };
    });
    await sendAll(parts, transaction, { accountId, accountName, warnings });
  });
  parts.mailing?.outbox.wake();
  parts.webhooks?.outbox.wake();
}

/** Adds the messages of a batch to the outboxes, one for each channel. */
async function sendAll(
  { mailing, webhooks }: WarningParts,
  transaction: Prisma.TransactionClient,
  batch: WarningBatch,
): Promise<void> {
  if (webhooks === undefined) return;
  const { accountId } = batch;
  const channels = await transaction.warningChannel.findMany({ where: { accountId } });
  for (const channel of channels) {
    if (channel.kind !== "mail") {
      const body = channel.kind === "slack" ? slackBody(batch) : webhookBody(batch);
      await webhooks.outbox.add(transaction, { body }, channel.id);
      continue;
    }
    const { target } = openTarget(webhooks.sealer, channel);
    if (mailing === undefined || !(await isMailAllowed(transaction, accountId, target))) continue;
    await mailing.outbox.add(transaction, warningMail(target, batch, mailing), channel.id);
  }
}

function identityOf({ kind, subject }: Pick<Condition, "kind" | "subject"> | Warning): string {
  return `${typeof kind === "string" ? kind : kindText(kind)} ${subject}`;
}
