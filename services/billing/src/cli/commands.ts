import { timestampDate } from "@bufbuild/protobuf/wkt";
import { formatPicoUsd, formatUsd, maxBalanceNanoUsd, parseUsd } from "@tollgate/core/money";
import type { Entry, Wallet } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import { admissions } from "../admission.ts";
import { checkCatalog } from "./catalog/check-catalog.ts";
import { loadListPrices } from "./catalog/list-prices.ts";
import { suggestModels } from "./catalog/suggestion.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./usage.ts";
import { usageCommand } from "./usage-command.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** The commands, by their words. */
export const commands: Readonly<Record<string, Command>> = {
  "account create": {
    takes: ["NAME"],
    options: ["credit", "admission"],
    async run([name = ""], { credit = "0", admission: policy = "default" }, operator) {
      const creditNanoUsd = readUsd(credit, "--credit");
      const admission = readAdmission(policy);
      const request = { name, creditNanoUsd, admission };
      const { account, wallet } = await operator().createAccount(request);
      const id = account?.id ?? "";
      return {
        lines: [`account ${id} (${name}), balance ${usd(wallet)} USD`],
        json: { id, name, admission: policy, ...walletJson(wallet) },
      };
    },
  },
  "account update": {
    takes: ["ACCOUNT"],
    options: ["admission"],
    async run([name = ""], { admission: policy }, operator) {
      if (policy === undefined) throw new UsageError("account update needs --admission");
      const request = { account: name, admission: readAdmission(policy) };
      const { account } = await operator().updateAccount(request);
      return {
        lines: [`account ${account?.id ?? ""} (${account?.name ?? ""}), admission ${policy}`],
        json: { id: account?.id, name: account?.name, admission: policy },
      };
    },
  },
  "key create": {
    takes: ["ACCOUNT"],
    options: ["channel"],
    async run([account = ""], { channel = "" }, operator) {
      const created = await operator().createKey({ account, channel });
      const { key, keyId, accountId } = created;
      return {
        lines: [key, `key ${keyId} of account ${accountId}; it is not shown again`],
        json: { id: keyId, key, account_id: accountId, channel },
      };
    },
  },
  "key revoke": {
    takes: ["KEY-ID"],
    options: [],
    async run([keyId = ""], _options, operator) {
      const { revokedAt } = await operator().revokeKey({ keyId });
      const at = revokedAt === undefined ? "" : timestampDate(revokedAt).toISOString();
      return { lines: [`${keyId} revoked at ${at}`], json: { id: keyId, revoked_at: at } };
    },
  },
  "wallet top-up": {
    takes: ["ACCOUNT", "USD"],
    options: ["reference"],
    async run([account = "", amount = ""], { reference }, operator) {
      if (reference === undefined) throw new UsageError("a top-up needs --reference");
      const amountNanoUsd = readUsd(amount, "USD");
      const { credited, wallet } = await operator().topUpWallet({
        account,
        amountNanoUsd,
        reference,
      });
      const change = credited ? `added ${amount} USD` : "reference already credited, nothing added";
      return {
        lines: [`${change}; balance ${usd(wallet)} USD`],
        json: { credited, ...walletJson(wallet) },
      };
    },
  },
  usage: usageCommand,
  "ledger list": {
    takes: [],
    options: ["account", "limit", "before"],
    async run(_args, { account = "", limit: limitText = "50", before = "" }, operator) {
      const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
      if (limit < 1 || limit > 1_000) throw new UsageError("--limit must be from 1 to 1000");
      const page = { account, limit, beforeEntryId: before };
      const { entries } = await operator().listLedger(page);
      const last = entries.length === limit ? entries.at(-1) : undefined;
      const more = last === undefined ? [] : [`older entries: --before ${last.id}`];
      return { lines: [...entries.map(entryLine), ...more], json: entries.map(entryJson) };
    },
  },
  "ledger verify": {
    takes: [],
    options: [],
    async run(_args, _options, operator) {
      const { result } = await operator().verifyLedger({}, { timeoutMs: verifyTimeoutMs });
      const { wallets = 0n, entries = 0n, openHolds = 0n, discrepancies = [] } = result ?? {};
      const { detachedMonths = [] } = result ?? {};
      const counts = `${wallets} wallets, ${entries} entries, ${openHolds} open holds`;
      const failed = discrepancies.length > 0;
      return {
        lines: [
          failed ? `${counts}: DISCREPANCIES` : `${counts}: no discrepancies`,
          ...discrepancies,
          ...detachedMonths.map((month) => `${month}: its entries are detached, and not compared`),
        ],
        json: {
          wallets: Number(wallets),
          entries: Number(entries),
          open_holds: Number(openHolds),
          discrepancies,
          detached_months: detachedMonths,
        },
        failed,
      };
    },
  },
  "catalog check": {
    takes: ["FILE"],
    options: [],
    run: ([file = ""]) => checkCatalog(file),
  },
  "catalog suggest": {
    takes: ["PROVIDER/MODEL"],
    repeatsLast: true,
    options: [],
    async run(names) {
      const models = suggestModels(names, await loadListPrices(new Date()));
      return {
        lines: models.flatMap(({ lines }) => lines),
        json: { models: models.map(({ entry }) => entry) },
      };
    },
  },
};

/** Returns a policy as the operator's service takes it. */
function readAdmission(policy: string): string {
  if (policy === "default") return "";
  if (Object.hasOwn(admissions, policy)) return policy;
  throw new UsageError("--admission must be likely, strict, whole or default");
}

function readUsd(text: string, name: string): bigint {
  const amount = parseUsd(text);
  if (amount !== undefined && amount > maxBalanceNanoUsd) {
    throw new UsageError(`${name} must be at most ${formatUsd(maxBalanceNanoUsd)}`);
  }
  if (amount !== undefined && amount % 1_000n === 0n) return amount;
  throw new UsageError(`${name} must be an amount such as 12.50, with at most six decimals`);
}

function usd(wallet: Wallet | undefined): string {
  return formatUsd(wallet?.balanceNanoUsd ?? 0n);
}

function walletJson(wallet: Wallet | undefined) {
  const { balanceNanoUsd = 0n, heldNanoUsd = 0n } = wallet ?? {};
  return {
    balance_usd: formatUsd(balanceNanoUsd),
    balance_nano_usd: String(balanceNanoUsd),
    held_nano_usd: String(heldNanoUsd),
  };
}

function entryLine(entry: Entry): string {
  const at = entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString();
  const amount = formatUsd(entry.amountNanoUsd).padStart(14);
  const { quantity, unitType } = entry;
  const subject =
    entry.kind === "top_up" ? entry.reference : `${entry.alias} ${quantity} ${unitType}`;
  const { uncollectedNanoUsd } = entry;
  const uncollected =
    uncollectedNanoUsd > 0n ? ` (uncollected ${formatUsd(uncollectedNanoUsd)})` : "";
  return `${at} ${amount} ${entry.kind.padEnd(7)} ${entry.accountId} ${subject}${uncollected}`;
}

function entryJson(entry: Entry) {
  return {
    id: entry.id,
    event_id: entry.eventId,
    account_id: entry.accountId,
    kind: entry.kind,
    amount_usd: formatUsd(entry.amountNanoUsd),
    amount_nano_usd: String(entry.amountNanoUsd),
    uncollected_nano_usd: String(entry.uncollectedNanoUsd),
    request_id: entry.requestId,
    route_type: entry.routeType,
    alias: entry.alias,
    provider: entry.provider,
    unit_type: entry.unitType,
    quantity: Number(entry.quantity),
    basis: entry.basis,
    corpus_size: Number(entry.corpusSize),
    lines: entry.lines.map(lineJson),
    provider_usage: parseJson(entry.providerUsage),
    reference: entry.reference,
    recorded_at:
      entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString(),
  };
}

function lineJson({ dimension, quantity, pricePicoUsd, per, amountNanoUsd }: UsageLine) {
  return {
    dimension,
    quantity: Number(quantity),
    price_usd: formatPicoUsd(pricePicoUsd),
    per: Number(per),
    amount_nano_usd: String(amountNanoUsd),
  };
}

/** Returns the value of a JSON text, or null for any other text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
