import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { WarningKind, type WarningRule } from "@tollgate/proto/tollgate/v1/warning";
import type { Client } from "@tollgate/rpc/implementation";
import { liveProcesses } from "../catalog/processes.ts";
import { monthText } from "../statements/months.ts";
import {
  type AccountConditionParts,
  type Condition,
  dayMs,
  dayText,
  startOfDay,
} from "./conditions.ts";

export interface GatewayConditionParts extends AccountConditionParts {
  slots: Client<typeof SlotService>;
}

/** For how long a payment that is not credited is a warning. */
const paymentDays = 30;
const maxPayments = 100;
const maxInvoices = 100;

/** Resolves with what the rules of the gateway, which are for operators, say is so now. */
export async function gatewayConditions(
  parts: GatewayConditionParts,
  rules: readonly WarningRule[],
): Promise<Condition[]> {
  const found = await Promise.all(rules.map((rule) => conditionsOf(parts, rule)));
  return found.flat();
}

function conditionsOf(
  parts: GatewayConditionParts,
  { kind, threshold }: WarningRule,
): Promise<Condition[]> | Condition[] {
  switch (kind) {
    case WarningKind.PROVIDER:
      return providersOut(parts);
    case WarningKind.CATALOG:
      return refusingProcesses(parts);
    case WarningKind.UNCOLLECTED:
      return uncollectedToday(parts, threshold);
    case WarningKind.PAYMENT:
      return refusedPayments(parts);
    case WarningKind.INVOICE:
      return invoicesWithLoss(parts);
    default:
      return [];
  }
}

async function providersOut({ slots }: GatewayConditionParts): Promise<Condition[]> {
  const { refusedKeys, outSlots } = await slots.readOutages({});
  const keys = refusedKeys.map(({ provider, key, said, status }) => ({
    kind: WarningKind.PROVIDER,
    subject: `key ${provider} ${key}`,
    title: `The provider ${provider} refuses the key ${key}`.trimEnd(),
    text: `No request is sent with it. ${status === 0 ? "" : `Status ${status}. `}${said}`.trimEnd(),
  }));
  const out = outSlots.map(({ slotId, processes }) => ({
    kind: WarningKind.PROVIDER,
    subject: `slot ${slotId}`,
    title: `The slot ${slotId} is out`,
    text: `${processes} processes do not call it.`,
  }));
  return [...keys, ...out];
}

async function refusingProcesses({ prisma }: GatewayConditionParts): Promise<Condition[]> {
  const processes = await liveProcesses(prisma);
  return processes
    .filter(({ refused_reason: reason }) => reason !== null)
    .map(({ name, refused_hash: hash, refused_reason: reason }) => ({
      kind: WarningKind.CATALOG,
      subject: `${name} ${hash ?? ""}`,
      title: `The process ${name} refuses the catalog`,
      text: reason ?? "",
    }));
}

async function uncollectedToday(
  { ledger, now }: GatewayConditionParts,
  threshold: bigint,
): Promise<Condition[]> {
  const today = startOfDay(now());
  const to = timestampFromDate(new Date(today.getTime() + dayMs));
  const period = { from: timestampFromDate(today), to };
  const { sums } = await ledger.sumUsage({ ...period, by: UsageBy.DAY });
  const uncollected = sums.reduce((sum, one) => sum + one.uncollectedNanoUsd, 0n);
  if (uncollected <= threshold) return [];
  const title = `Wallets could not pay more than ${formatUsd(threshold)} USD today`;
  const text = `${formatUsd(uncollected)} USD were not collected.`;
  return [
    { kind: WarningKind.UNCOLLECTED, subject: `${threshold} ${dayText(today)}`, title, text },
  ];
}

async function refusedPayments({ prisma, now }: GatewayConditionParts): Promise<Condition[]> {
  const since = new Date(now().getTime() - paymentDays * dayMs);
  const payments = await prisma.payment.findMany({
    where: { state: "refused", createdAt: { gt: since } },
    orderBy: { id: "desc" },
    take: maxPayments,
  });
  return payments.map(({ id, accountId, problem }) => ({
    kind: WarningKind.PAYMENT,
    subject: id,
    title: `A payment of ${accountId} is not credited`,
    text: `${id}: ${problem}`,
  }));
}

/** A warning holds until a later check of the same month finds no loss. */
async function invoicesWithLoss({ prisma }: GatewayConditionParts): Promise<Condition[]> {
  const checks = await prisma.invoiceCheck.findMany({
    where: { paidNanoUsd: { gt: 0 } },
    orderBy: [{ month: "desc" }, { provider: "asc" }],
    take: maxInvoices,
  });
  return checks.map(({ provider, month, paidNanoUsd, chargedNanoUsd }) => ({
    kind: WarningKind.INVOICE,
    subject: `${provider} ${monthText(month)}`,
    title: `Less was charged than ${provider} was paid for ${monthText(month)}`,
    text:
      `Its models with a loss cost ${formatUsd(paidNanoUsd)} USD, and ${formatUsd(chargedNanoUsd)} USD ` +
      "were charged for them. tollgate invoice check lists them.",
  }));
}
