import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import {
  type CreateWarningChannelRequest,
  type ListWarningsRequest,
  type TestWarningChannelRequest,
  WarningChannelKind,
  WarningKind,
  WarningRulesSchema,
} from "@tollgate/proto/tollgate/v1/warning";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf } from "../accounts.ts";
import { type Change, recordChange } from "../audit.ts";
import { Prisma } from "../generated/client.ts";
import { readAddress } from "../members/addresses.ts";
import { reasonOf, reportAttempt } from "../outbox/outbox.ts";
import { findPage, having, inOrderOf, searching } from "../row-page.ts";
import {
  channelKindText,
  createChannel,
  isMailAllowed,
  openTarget,
  requireChannel,
  type Webhooks,
} from "../warnings/channels.ts";
import { slackBody, warningMail, webhookBody } from "../warnings/messages.ts";
import { checkWebhookUrl } from "../warnings/post-webhook.ts";
import { checkRules, toChannel, toWarning } from "../warnings/warning-messages.ts";
import { pageSize } from "./account-messages.ts";
import { nameIds } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

const maxTests = 10;
const testsMs = 60 * 60 * 1_000;
/** Rules that were changed are due at once. */
const never = new Date(0);

/** The operator's calls about warnings. An account that is empty is the gateway itself. */
export function implementWarnings(parts: OperatorParts) {
  const { prisma, mailing, webhooks } = parts;
  return {
    async getWarningSettings({ account }) {
      const accountId = await accountIdOf(prisma, account);
      const [settings, channels, waiting] = await Promise.all([
        prisma.warningSettings.findUnique({ where: { accountId } }),
        prisma.warningChannel.findMany({ where: { accountId }, orderBy: { id: "asc" } }),
        prisma.outbox.groupBy({ by: ["channelId"], _count: true }),
      ]);
      const counts = new Map(waiting.map(({ channelId, _count }) => [channelId, _count]));
      const rules = fromJson(WarningRulesSchema, (settings?.rules ?? {}) as JsonObject);
      const sealer = webhooks?.sealer;
      const shown = sealer
        ? channels.map((one) => toChannel(sealer, one, counts.get(one.id) ?? 0))
        : [];
      const sends = { sendsMail: mailing !== undefined, sendsWebhooks: webhooks !== undefined };
      return { rules, channels: shown, ...sends };
    },
    async updateWarningRules({ account, rules = create(WarningRulesSchema) }) {
      const accountId = await accountIdOf(prisma, account);
      checkRules(rules, accountId);
      const json = toJson(WarningRulesSchema, rules) as JsonObject;
      await prisma.$transaction(async (transaction) => {
        const where = { accountId };
        const before = await transaction.warningSettings.findUnique({ where });
        const data = { rules: json as object, checkedAt: never };
        await transaction.warningSettings.upsert({
          where,
          create: { accountId, ...data },
          update: data,
        });
        const old = (before?.rules ?? {}) as JsonObject;
        const change = { before: { rules: old }, after: { rules: json } };
        await record(parts, transaction, "UpdateWarningRules", accountId, change);
      });
      parts.warnings.wake();
      return { rules };
    },
    createWarningChannel: (request) => createOne(parts, request),
    async removeWarningChannel({ account, channelId: id }) {
      const accountId = await accountIdOf(prisma, account);
      await prisma.$transaction(async (transaction) => {
        const { kind } = await requireChannel(transaction, accountId, id);
        await transaction.outbox.deleteMany({ where: { channelId: id } });
        await transaction.warningChannel.delete({ where: { id } });
        await record(parts, transaction, "RemoveWarningChannel", accountId, {
          before: { channel: id, kind },
        });
      });
      return {};
    },
    testWarningChannel: (request) => testOne(parts, request),
    listWarnings: (page) => listWarnings(parts, page),
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

async function createOne(
  parts: OperatorParts,
  { account, kind, target: text }: CreateWarningChannelRequest,
) {
  const { prisma, mailing, now } = parts;
  const webhooks = requireWebhooks(parts.webhooks);
  const accountId = await accountIdOf(prisma, account);
  const isMail = kind === WarningChannelKind.MAIL;
  channelKindText(kind);
  if (isMail && mailing === undefined) throw notConfigured("TOLLGATE_SMTP_URL");
  const target = isMail ? readAddress(text) : text;
  if (!isMail) checkWebhookUrl(target, webhooks.allowsPrivate);
  const { stored, secret } = await prisma.$transaction(async (transaction) => {
    if (isMail && !(await isMailAllowed(transaction, accountId, target))) {
      throw invalidParam("target", "must be the address of a member of the account");
    }
    const request = { accountId, kind, target };
    const created = await createChannel(transaction, webhooks.sealer, request, now());
    // An account without rules can have channels first.
    const settings = [{ accountId, rules: {}, checkedAt: never }];
    await transaction.warningSettings.createMany({ data: settings, skipDuplicates: true });
    const { id } = created.stored;
    await record(parts, transaction, "CreateWarningChannel", accountId, {
      after: { channel: id, kind: channelKindText(kind) },
    });
    return created;
  });
  return { channel: toChannel(webhooks.sealer, stored, 0), secret };
}

/** Sends a message to a channel: to a webhook at once, and by mail through the outbox. */
async function testOne(parts: OperatorParts, { account, channelId }: TestWarningChannelRequest) {
  const { prisma, mailing, now } = parts;
  const webhooks = requireWebhooks(parts.webhooks);
  const accountId = await accountIdOf(prisma, account);
  const channel = await requireChannel(prisma, accountId, channelId);
  await admitTest(parts, accountId);
  const id = newId("warning");
  const title = "This is a test";
  const text = "Warnings arrive here.";
  const kind = WarningKind.UNSPECIFIED;
  const warnings = [{ id, kind, title, text, keyId: "", begunAt: now() }];
  const found =
    accountId === "" ? null : await prisma.account.findUnique({ where: { id: accountId } });
  const batch = { accountId, accountName: found?.name ?? "", warnings };
  if (channel.kind === "mail") {
    if (mailing === undefined) throw notConfigured("TOLLGATE_SMTP_URL");
    const { target } = openTarget(webhooks.sealer, channel);
    if (!(await isMailAllowed(prisma, accountId, target))) return { error: "not_a_member" };
    const mail = warningMail(target, batch, mailing);
    await mailing.outbox.add(prisma, mail, channelId);
    mailing.outbox.wake();
    return {};
  }
  const body = channel.kind === "slack" ? slackBody(batch) : webhookBody(batch);
  const error = await webhooks.post(channel, id, body).then(() => "", reasonOf);
  await reportAttempt(prisma, channelId, now(), error);
  return { error };
}

/** Counts a test. Throws `rate_limited` beyond ten in an hour of an account, or of the gateway. */
async function admitTest({ prisma, now }: OperatorParts, accountId: string): Promise<void> {
  const at = now();
  const since = new Date(at.getTime() - testsMs);
  const [counted] = await prisma.$queryRaw<{ tests: number }[]>`
    UPDATE warning_settings SET
      tests = CASE WHEN tests_since > ${since} THEN tests + 1 ELSE 1 END,
      tests_since = CASE WHEN tests_since > ${since} THEN tests_since ELSE ${at} END
    WHERE account_id = ${accountId} RETURNING tests`;
  if ((counted?.tests ?? 0) <= maxTests) return;
  const message = `Channels are tested ${maxTests} times an hour at most.`;
  throw new GatewayError("rate_limited", message, { retryAfterSeconds: testsMs / 1_000 });
}

/** A developer does not see warnings about the keys of others, and who has no keys none about keys. */
function visibleTo({ memberRole, id }: OperatorParts["actor"], ownKeys: readonly string[]) {
  if (id === "" || memberRole === MemberRole.ADMIN) return [];
  if (memberRole === MemberRole.UNSPECIFIED) return [];
  const shown = ["", ...(memberRole === MemberRole.DEVELOPER ? ownKeys : [])];
  return [Prisma.sql`key_id = ANY (${shown})`];
}

async function listWarnings({ prisma, actor }: OperatorParts, request: ListWarningsRequest) {
  const { account, limit, beforeWarningId: before, onlyOpen, keyId, search, order } = request;
  const accountId = await accountIdOf(prisma, account);
  const own = await prisma.apiKey.findMany({
    where: { accountId, memberId: actor.id },
    select: { id: true },
  });
  const ownKeys = own.map(({ id }) => id);
  const { ids, next = "" } = await findPage(prisma, {
    ...{ table: Prisma.sql`warning`, id: Prisma.sql`id`, order, before, limit: pageSize(limit) },
    bounds: [
      Prisma.sql`account_id = ${accountId}`,
      ...visibleTo(actor, ownKeys),
      ...(onlyOpen ? [Prisma.sql`ended_at IS NULL`] : []),
    ],
    matches: [
      ...having(Prisma.sql`key_id`, keyId),
      ...searching(search, [Prisma.sql`title`, Prisma.sql`text`]),
    ],
  });
  const found = await prisma.warning.findMany({ where: { id: { in: ids } } });
  const warnings = inOrderOf(ids, found, ({ id }) => id);
  const names = await nameIds(prisma, { keyIds: warnings.map((one) => one.keyId) });
  return {
    warnings: warnings.map(toWarning),
    ...{ hasMore: next !== "", nextWarningId: next, names },
  };
}

function record(
  { actor }: OperatorParts,
  transaction: Prisma.TransactionClient,
  action: string,
  accountId: string,
  change: Pick<Change, "before" | "after">,
): Promise<void> {
  const subject = { subjectKind: "account", subjectId: accountId, accountId } as const;
  return recordChange(transaction, actor, { action, ...subject, ...change });
}

function requireWebhooks(webhooks: Webhooks | undefined): Webhooks {
  if (webhooks !== undefined) return webhooks;
  throw notConfigured("TOLLGATE_IDENTITY_KEY");
}

function notConfigured(variable: string): GatewayError {
  return new GatewayError("not_found", `Warnings cannot be sent: ${variable} is not set.`);
}
