import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { type LedgerService, UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { WarningKind, type WarningRule } from "@tollgate/proto/tollgate/v1/warning";
import type { Client } from "@tollgate/rpc/implementation";
import type { PrismaClient } from "../generated/client.ts";
import { playgroundChannel } from "../keys.ts";
import { findLimits } from "../limits.ts";
import { findStopReason } from "../payments/auto-top-up/stop-reason.ts";

export interface AccountConditionParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  now(): Date;
}

/** A condition of a rule that is true now. */
export interface Condition {
  kind: WarningKind;
  /** Distinguishes the conditions of an account that have the same kind. */
  subject: string;
  /** The key that it is about. */
  keyId?: string;
  title: string;
  text: string;
}

export const dayMs = 24 * 60 * 60 * 1_000;
/** The days whose charges say how long a balance lasts, and what a day usually costs. */
const spendDays = 7;
/** For how long a statement is news. */
const statementDays = 2;
/** Of how many keys budgets and expiries are read, the newest first. */
const maxKeys = 1_000;

/** Resolves with what the rules of an account say is so now. */
export async function accountConditions(
  parts: AccountConditionParts,
  accountId: string,
  rules: readonly WarningRule[],
): Promise<Condition[]> {
  const found = await Promise.all(rules.map((rule) => conditionsOf(parts, accountId, rule)));
  return found.flat();
}

function conditionsOf(
  parts: AccountConditionParts,
  accountId: string,
  { kind, threshold }: WarningRule,
): Promise<Condition[]> | Condition[] {
  switch (kind) {
    case WarningKind.BALANCE:
      return lowBalance(parts, accountId, threshold);
    case WarningKind.DAYS_LEFT:
      return fewDaysLeft(parts, accountId, threshold);
    case WarningKind.BUDGET:
      return spentBudgets(parts, accountId, threshold);
    case WarningKind.KEY_EXPIRY:
      return expiringKeys(parts, accountId, threshold);
    case WarningKind.SPEND:
      return unusualSpend(parts, accountId, threshold);
    case WarningKind.STATEMENT:
      return issuedStatements(parts, accountId);
    case WarningKind.AUTO_TOP_UP:
      return stoppedAutoTopUp(parts, accountId);
    default:
      return [];
  }
}

async function lowBalance(
  { ledger }: AccountConditionParts,
  accountId: string,
  threshold: bigint,
): Promise<Condition[]> {
  const { wallet } = await ledger.getWallet({ accountId });
  const balance = wallet?.balanceNanoUsd ?? 0n;
  if (balance >= threshold) return [];
  const title = `The balance is below ${formatUsd(threshold)} USD`;
  const text = `The balance was ${formatUsd(balance)} USD.`;
  return [{ kind: WarningKind.BALANCE, subject: String(threshold), title, text }];
}

async function fewDaysLeft(
  { ledger, now }: AccountConditionParts,
  accountId: string,
  threshold: bigint,
): Promise<Condition[]> {
  const from = timestampFromDate(new Date(now().getTime() - spendDays * dayMs));
  const [{ wallet }, { spendNanoUsd }] = await Promise.all([
    ledger.getWallet({ accountId }),
    ledger.getSpend({ accountId, from }),
  ]);
  const balance = wallet?.balanceNanoUsd ?? 0n;
  if (balance * BigInt(spendDays) >= threshold * spendNanoUsd) return [];
  const title = `The balance lasts for less than ${days(threshold)}`;
  const spent = `${formatUsd(spendNanoUsd)} USD were charged in the last ${spendDays} days`;
  const text = `The balance was ${formatUsd(balance)} USD, and ${spent}.`;
  return [{ kind: WarningKind.DAYS_LEFT, subject: String(threshold), title, text }];
}

async function spentBudgets(
  { prisma, ledger, now }: AccountConditionParts,
  accountId: string,
  percent: bigint,
): Promise<Condition[]> {
  const keys = await prisma.apiKey.findMany({
    where: { ...activeKeys(accountId, now()), isLimited: true },
    orderBy: { id: "desc" },
    take: maxKeys,
  });
  const names = new Map(keys.map(({ id, name }) => [id, keyText(id, name)]));
  const uses = await findLimits(ledger, [accountId, ...names.keys()]);
  return Array.from(uses.values()).flatMap(({ ownerId, limits, spentNanoUsd, resetsAt }) => {
    const budget = limits?.budget?.amountNanoUsd ?? 0n;
    if (budget === 0n || spentNanoUsd * 100n < budget * percent) return [];
    const owner = names.get(ownerId) ?? "the account";
    const period = resetsAt === undefined ? "" : timestampDate(resetsAt).toISOString();
    const until = period === "" ? "" : ` It begins anew at ${period}.`;
    return [
      {
        kind: WarningKind.BUDGET,
        // The next period may be spent as soon as the last one has ended.
        subject: `${percent} ${ownerId} ${period}`,
        ...(ownerId === accountId ? {} : { keyId: ownerId }),
        title: `${percent} % of the budget of ${owner} is spent`,
        text: `${formatUsd(spentNanoUsd)} of ${formatUsd(budget)} USD were spent.${until}`,
      },
    ];
  });
}

async function expiringKeys(
  { prisma, now }: AccountConditionParts,
  accountId: string,
  threshold: bigint,
): Promise<Condition[]> {
  const until = new Date(now().getTime() + Number(threshold) * dayMs);
  const keys = await prisma.apiKey.findMany({
    where: { accountId, revokedAt: null, expiresAt: { gt: now(), lte: until } },
    orderBy: { id: "desc" },
    take: maxKeys,
  });
  return keys.map(({ id, name, expiresAt }) => ({
    kind: WarningKind.KEY_EXPIRY,
    subject: `${threshold} ${id} ${expiresAt?.toISOString() ?? ""}`,
    keyId: id,
    title: `${capital(keyText(id, name))} expires within ${days(threshold)}`,
    text: `It expires at ${expiresAt?.toISOString() ?? ""}.`,
  }));
}

async function unusualSpend(
  { ledger, now }: AccountConditionParts,
  accountId: string,
  times: bigint,
): Promise<Condition[]> {
  const today = startOfDay(now());
  const from = new Date(today.getTime() - spendDays * dayMs);
  const to = new Date(today.getTime() + dayMs);
  const { sums } = await ledger.sumUsage({
    ...{ accountId, from: timestampFromDate(from), to: timestampFromDate(to) },
    by: UsageBy.DAY,
  });
  const charged = new Map(sums.map(({ name, chargedNanoUsd }) => [name, chargedNanoUsd]));
  const before = Array.from(
    { length: spendDays },
    (_, day) => charged.get(dayText(new Date(from.getTime() + day * dayMs))) ?? 0n,
  ).sort((one, other) => (one < other ? -1 : 1));
  const median = before[Math.floor(spendDays / 2)] ?? 0n;
  const spent = charged.get(dayText(today)) ?? 0n;
  if (median === 0n || spent <= median * times) return [];
  const title = `Today was charged more than ${times} times as much as usual`;
  const text = `${formatUsd(spent)} USD today, and ${formatUsd(median)} USD on a usual day.`;
  return [{ kind: WarningKind.SPEND, subject: `${times} ${dayText(today)}`, title, text }];
}

async function issuedStatements(
  { prisma, now }: AccountConditionParts,
  accountId: string,
): Promise<Condition[]> {
  const since = new Date(now().getTime() - statementDays * dayMs);
  const issued = await prisma.statement.findMany({ where: { accountId, issuedAt: { gt: since } } });
  return issued.map(({ number, month }) => ({
    kind: WarningKind.STATEMENT,
    subject: String(number),
    title: `Statement ${number} was issued`,
    text: `It is of the month ${month.toISOString().slice(0, 7)}.`,
  }));
}

async function stoppedAutoTopUp(
  { prisma }: AccountConditionParts,
  accountId: string,
): Promise<Condition[]> {
  const settings = await prisma.autoTopUp.findUnique({ where: { accountId, isEnabled: true } });
  const reason = settings === null ? "" : await findStopReason(prisma, settings);
  if (settings === null || reason === "") return [];
  const text = `${reason} Change the card if needed, and set automatic top-ups again.`;
  const title = "Automatic top-ups have stopped";
  const subject = settings.setAt.toISOString();
  return [{ kind: WarningKind.AUTO_TOP_UP, subject, title, text }];
}

function activeKeys(accountId: string, now: Date) {
  const channel = { not: playgroundChannel };
  return {
    accountId,
    channel,
    revokedAt: null,
    OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
  };
}

function keyText(id: string, name: string): string {
  return name === "" ? `the key ${id}` : `the key ${name} (${id})`;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function days(count: bigint): string {
  return count === 1n ? "1 day" : `${count} days`;
}

/** Returns the start of a day (UTC). */
export function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / dayMs) * dayMs);
}

/** Returns a day (UTC) as `2026-11-23`. */
export function dayText(time: Date): string {
  return time.toISOString().slice(0, 10);
}
