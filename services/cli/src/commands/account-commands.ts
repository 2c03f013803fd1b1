import { formatUsd } from "@tollgate/core/money";
import {
  type Account,
  AccountOrder,
  type AccountSummary,
} from "@tollgate/proto/tollgate/v1/operator";
import { UsageError } from "../help.ts";
import { limitChangesOfOptions, limitOptions, limitsOfOptions } from "../options/limit-options.ts";
import { readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { readUsd, shortUsd, walletJson } from "../text/amounts.ts";
import { budgetText, limitLines, limitsJson } from "../text/limit-lines.ts";
import { cutText, formatTable, type TableColumn } from "../text/table.ts";
import { isoTime, shortTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

/** The admission policies, by the names that the operator's API takes. */
const admissionPolicies = ["likely", "strict", "whole"];

/** Takes the plan of an account away. No plan of a catalog has this name. */
const noPlan = "none";

const maxNameWidth = 24;

const orders = { newest: AccountOrder.UNSPECIFIED, name: AccountOrder.NAME } as const;

/** `tollgate account create` */
export const createAccountCommand: Command = {
  takes: ["NAME"],
  options: ["credit", "admission", ...limitOptions],
  async run([name = ""], { credit = "0", admission: policy = "default", ...options }, operator) {
    const creditNanoUsd = readUsd(credit, "--credit");
    const admission = readAdmission(policy);
    const request = { name, creditNanoUsd, admission, limits: limitsOfOptions(options) };
    const { account, wallet } = await operator().createAccount(request);
    const balance = formatUsd(wallet?.balanceNanoUsd ?? 0n);
    return {
      lines: [`account ${account?.id ?? ""} (${name}), balance ${balance} USD`],
      json: { ...accountJson(account), ...walletJson(wallet) },
    };
  },
};

/** `tollgate account update` */
export const updateAccountCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["admission", "time-zone", ...limitOptions],
  async run([name = ""], { admission: policy, "time-zone": timeZone, ...options }, operator) {
    const limits = limitChangesOfOptions(options);
    if (policy === undefined && timeZone === undefined && limits === undefined) {
      throw new UsageError("account update needs --admission, --time-zone or a limit to change");
    }
    const { account } = await operator().updateAccount({
      account: name,
      ...(policy === undefined ? {} : { admission: readAdmission(policy) }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(limits === undefined ? {} : { limits }),
    });
    return { lines: accountLines(account), json: accountJson(account) };
  },
};

/** `tollgate account plan` */
export const setAccountPlanCommand: Command = {
  takes: ["ACCOUNT", "PLAN"],
  options: [],
  async run([name = "", plan = ""], _options, operator) {
    const request = { account: name, plan: plan === noPlan ? "" : plan };
    const { account } = await operator().updateAccount(request);
    return { lines: accountLines(account), json: accountJson(account) };
  },
};

/** `tollgate account list` */
export const listAccountsCommand: Command = {
  takes: [],
  options: searchedOptions,
  async run(_args, { before = "", ...options }, operator) {
    const page = readSearchedPage(options, orders);
    const { accounts, hasMore } = await operator().listAccounts({
      ...{ beforeAccountId: before, ...page },
    });
    return listOutput("accounts", {
      rows: accounts,
      next: hasMore ? (accounts.at(-1)?.account?.id ?? "") : "",
      toLines: (rows) => formatTable(columns, rows),
      toJson: summaryJson,
    });
  },
};

/** `tollgate account show` */
export const showAccountCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([name = ""], _options, operator) {
    const { account: summary } = await operator().getAccount({ account: name });
    const { balanceNanoUsd = 0n, heldNanoUsd = 0n } = summary?.wallet ?? {};
    const held = heldNanoUsd > 0n ? `, of which ${shortUsd(heldNanoUsd)} are held` : "";
    return {
      lines: [
        ...accountLines(summary?.account),
        `balance: ${shortUsd(balanceNanoUsd)} USD${held}`,
        `active keys: ${summary?.activeKeys ?? 0}`,
      ],
      json: summary === undefined ? null : summaryJson(summary),
    };
  },
};

const columns: readonly TableColumn<AccountSummary>[] = [
  { title: "ID", align: "left", cell: ({ account }) => account?.id ?? "" },
  {
    title: "NAME",
    align: "left",
    cell: ({ account }) => cutText(account?.name ?? "", maxNameWidth),
  },
  { title: "BALANCE USD", cell: ({ wallet }) => shortUsd(wallet?.balanceNanoUsd ?? 0n) },
  { title: "KEYS", cell: ({ activeKeys }) => String(activeKeys), rank: 4 },
  { title: "BUDGET", cell: ({ account }) => budgetText(account?.limits), rank: 2 },
  { title: "PLAN", align: "left", cell: ({ account }) => account?.plan ?? "", rank: 3 },
  { title: "ADMISSION", align: "left", cell: ({ account }) => account?.admission ?? "", rank: 1 },
  {
    title: "CREATED",
    align: "left",
    cell: ({ account }) => shortTime(account?.createdAt),
    rank: 0,
  },
];

function accountLines(account: Account | undefined): string[] {
  if (account === undefined) return [];
  const { id, name, admission, plan, createdAt, limits, timeZone } = account;
  return [
    `account ${id} (${name})`,
    `created: ${shortTime(createdAt)}`,
    `admission: ${admission || "default"}`,
    `plan: ${plan || noPlan}`,
    `time zone of budgets: ${timeZone}`,
    ...limitLines(limits),
  ];
}

function accountJson(account: Account | undefined) {
  const { id = "", name = "", admission = "", plan = "", createdAt, limits } = account ?? {};
  const { timeZone = "" } = account ?? {};
  return {
    id,
    name,
    admission: admission || "default",
    plan: plan || null,
    time_zone: timeZone,
    created_at: isoTime(createdAt),
    limits: limitsJson(limits),
  };
}

function summaryJson({ account, wallet, activeKeys }: AccountSummary) {
  return { ...accountJson(account), ...walletJson(wallet), active_keys: activeKeys };
}

/** Returns a policy as the operator's service takes it. */
function readAdmission(policy: string): string {
  if (policy === "default") return "";
  if (admissionPolicies.includes(policy)) return policy;
  throw new UsageError("--admission must be likely, strict, whole or default");
}
