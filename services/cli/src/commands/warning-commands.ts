import { formatUsd } from "@tollgate/core/money";
import {
  type Warning,
  type WarningChannel,
  WarningChannelKind,
  WarningKind,
  type WarningRule,
} from "@tollgate/proto/tollgate/v1/warning";
import { UsageError } from "../help.ts";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { readUsd, readWholeNumber } from "../text/amounts.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

const maxNumber = 1_000;

/** `tollgate warning list` */
export const listWarningsCommand: Command = {
  takes: [],
  options: ["account", "key", "open", ...searchedOptions],
  async run(_args, { account = "", key: keyId = "", ...options }, operator) {
    const { open: onlyOpen = false, before: beforeWarningId = "" } = options;
    const page = readSearchedPage(options, namedTimeOrders);
    const { warnings, nextWarningId } = await operator().listWarnings({
      ...{ account, keyId, onlyOpen, beforeWarningId, ...page },
    });
    return listOutput("warnings", {
      rows: warnings,
      next: nextWarningId,
      toLines: (rows) => rows.map(warningLine),
      toJson: warningJson,
    });
  },
};

/** `tollgate warning set` */
export const setWarningsCommand: Command = {
  takes: ["RULE"],
  repeatsLast: true,
  options: ["account"],
  async run(texts, { account = "" }, operator) {
    const isNone = texts.length === 1 && texts[0] === "none";
    const request = { rules: isNone ? [] : texts.map(readRule) };
    const { rules } = await operator().updateWarningRules({ account, rules: request });
    const set = (rules?.rules ?? []).map(ruleText);
    return { lines: set.length === 0 ? ["no rules"] : set, json: { rules: set } };
  },
};

/** `tollgate warning channel add` */
export const addWarningChannelCommand: Command = {
  takes: ["KIND", "TARGET"],
  options: ["account"],
  async run([kindName = "", target = ""], { account = "" }, operator) {
    const kind = channelKinds[kindName];
    if (kind === undefined) throw new UsageError("KIND is mail, webhook or slack");
    const request = { account, kind, target };
    const { channel, secret } = await operator().createWarningChannel(request);
    const id = channel?.id ?? "";
    return {
      lines: [id, ...(secret === "" ? [] : [`secret, shown only here: ${secret}`])],
      json: { ...(channel && channelJson(channel)), secret },
    };
  },
};

/** `tollgate warning channel list` */
export const listWarningChannelsCommand: Command = {
  takes: [],
  options: ["account"],
  async run(_args, { account = "" }, operator) {
    const { channels } = await operator().getWarningSettings({ account });
    return {
      lines: channels.length === 0 ? ["none"] : channels.map(channelLine),
      json: { channels: channels.map(channelJson) },
    };
  },
};

/** `tollgate warning channel test` */
export const testWarningChannelCommand: Command = {
  takes: ["CHANNEL-ID"],
  options: ["account"],
  async run([channelId = ""], { account = "" }, operator) {
    const { error } = await operator().testWarningChannel({ account, channelId });
    const line = error === "" ? "sent" : `not taken: ${error}`;
    return { lines: [line], json: { error }, failed: error !== "" };
  },
};

/** `tollgate warning channel remove` */
export const removeWarningChannelCommand: Command = {
  takes: ["CHANNEL-ID"],
  options: ["account"],
  async run([channelId = ""], { account = "" }, operator) {
    await operator().removeWarningChannel({ account, channelId });
    return { lines: [`removed ${channelId}`], json: { id: channelId } };
  },
};

const ruleKinds: Readonly<Record<string, WarningKind>> = {
  balance: WarningKind.BALANCE,
  "days-left": WarningKind.DAYS_LEFT,
  budget: WarningKind.BUDGET,
  "key-expiry": WarningKind.KEY_EXPIRY,
  spend: WarningKind.SPEND,
  statement: WarningKind.STATEMENT,
  "auto-top-up": WarningKind.AUTO_TOP_UP,
  provider: WarningKind.PROVIDER,
  catalog: WarningKind.CATALOG,
  uncollected: WarningKind.UNCOLLECTED,
  payment: WarningKind.PAYMENT,
  invoice: WarningKind.INVOICE,
};

const inUsd: readonly WarningKind[] = [WarningKind.BALANCE, WarningKind.UNCOLLECTED];

const channelKinds: Readonly<Record<string, WarningChannelKind>> = {
  mail: WarningChannelKind.MAIL,
  webhook: WarningChannelKind.WEBHOOK,
  slack: WarningChannelKind.SLACK,
};

function readRule(text: string) {
  const [name = "", value, ...rest] = text.split("=");
  const kind = ruleKinds[name];
  if (kind === undefined || rest.length > 0)
    throw new UsageError(`${text} is no RULE (see --help)`);
  if (value === undefined) return { kind, threshold: 0n };
  if (inUsd.includes(kind)) return { kind, threshold: readUsd(value, name) };
  return { kind, threshold: BigInt(readWholeNumber(value, name, maxNumber)) };
}

function nameOf(kind: number, kinds: Readonly<Record<string, number>>): string {
  return Object.keys(kinds).find((name) => kinds[name] === kind) ?? "";
}

function ruleText({ kind, threshold }: WarningRule): string {
  const name = nameOf(kind, ruleKinds);
  if (inUsd.includes(kind)) return `${name}=${formatUsd(threshold)}`;
  return threshold === 0n ? name : `${name}=${threshold}`;
}

function warningLine({ begunAt, endedAt, accountId, title, text, id }: Warning): string {
  const end = endedAt === undefined ? "open" : `ended ${isoTime(endedAt)}`;
  return [isoTime(begunAt), end, accountId, `${title}.`, text, id].filter(Boolean).join(" ");
}

function warningJson(warning: Warning) {
  return {
    id: warning.id,
    account_id: warning.accountId,
    kind: nameOf(warning.kind, ruleKinds),
    title: warning.title,
    text: warning.text,
    key_id: warning.keyId,
    begun_at: isoTime(warning.begunAt),
    ended_at: isoTime(warning.endedAt),
  };
}

function channelLine({ id, kind, target, deliveredAt, error, waiting }: WarningChannel): string {
  const last = deliveredAt === undefined ? "" : `delivered ${isoTime(deliveredAt)}`;
  const problem = error === "" ? "" : `not taken: ${error}, ${waiting} waiting`;
  return [id, nameOf(kind, channelKinds), target, last, problem].filter(Boolean).join(" ");
}

function channelJson(channel: WarningChannel) {
  return {
    id: channel.id,
    kind: nameOf(channel.kind, channelKinds),
    target: channel.target,
    delivered_at: isoTime(channel.deliveredAt),
    error: channel.error,
    error_at: isoTime(channel.errorAt),
    waiting: channel.waiting,
  };
}
