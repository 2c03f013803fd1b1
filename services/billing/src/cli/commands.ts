import { readFile } from "node:fs/promises";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { parseCatalog } from "@tollgate/catalog/parse";
import { formatUsd, maxBalanceNanoUsd, parseUsd } from "@tollgate/core/money";
import type { Entry, Wallet } from "@tollgate/proto/tollgate/v1/ledger";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { UsageError } from "./usage.ts";
import { usageCommand } from "./usage-command.ts";

/** A command's result: lines to read, and the same as JSON. */
export interface Output {
  lines: readonly string[];
  json: unknown;
  /** True if the command ran and found a fault. */
  failed?: boolean;
}

export interface Options {
  credit?: string | undefined;
  channel?: string | undefined;
  reference?: string | undefined;
  account?: string | undefined;
  limit?: string | undefined;
  before?: string | undefined;
  by?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  csv?: boolean | undefined;
}

export interface Command {
  /** The names of its positional arguments. */
  takes: readonly string[];
  options: readonly (keyof Options)[];
  run(args: readonly string[], options: Options, operator: () => Operator): Promise<Output>;
}

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

type Operator = Client<typeof OperatorService>;

/** The commands, by their words. */
export const commands: Readonly<Record<string, Command>> = {
  "account create": {
    takes: ["NAME"],
    options: ["credit"],
    async run([name = ""], { credit = "0" }, operator) {
      const creditNanoUsd = readUsd(credit, "--credit");
      const { account, wallet } = await operator().createAccount({ name, creditNanoUsd });
      const id = account?.id ?? "";
      return {
        lines: [`account ${id} (${name}), balance ${usd(wallet)} USD`],
        json: { id, name, ...walletJson(wallet) },
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
        json: { id: keyId, key, account_id: accountId, channel: created.channel },
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
    async run([file = ""]) {
      const { models } = parseCatalog(await readFile(file, "utf8"));
      return {
        lines: [`${file}: ${models.size} models, valid`],
        json: { file, models: [...models.keys()] },
      };
    },
  },
};

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
    reference: entry.reference,
    recorded_at:
      entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString(),
  };
}
