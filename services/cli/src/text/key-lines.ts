import { timestampMs } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import { budgetText, endUserJson, endUserLines, limitLines, limitsJson } from "./limit-lines.ts";
import { cutText, type TableColumn } from "./table.ts";
import { isoTime, shortTime } from "./times.ts";

const maxNameWidth = 16;
const maxModelsWidth = 24;

/** The columns of `tollgate key list`. */
export const keyTableColumns: readonly TableColumn<Key>[] = [
  { title: "ID", align: "left", cell: ({ id }) => id },
  { title: "NAME", align: "left", cell: ({ name }) => cutText(name, maxNameWidth) },
  { title: "KEY", align: "left", cell: ({ shownKey }) => shownKey, rank: 7 },
  { title: "STATE", align: "left", cell: stateOf },
  { title: "BUDGET", cell: ({ limits }) => budgetText(limits), rank: 6 },
  { title: "MONTH USD", cell: monthText, rank: 4 },
  { title: "USED", align: "left", cell: ({ lastUsedAt }) => shortTime(lastUsedAt), rank: 3 },
  { title: "RPM", cell: ({ limits }) => numberText(limits?.limits?.requestsPerMinute), rank: 5 },
  { title: "TPM", cell: ({ limits }) => numberText(limits?.limits?.tokensPerMinute), rank: 4 },
  { title: "PARALLEL", cell: ({ limits }) => numberText(limits?.limits?.parallel), rank: 3 },
  { title: "EXPIRES", align: "left", cell: ({ expiresAt }) => shortTime(expiresAt), rank: 2 },
  { title: "MODELS", align: "left", cell: modelsOf, rank: 1 },
  { title: "ACCOUNT", align: "left", cell: ({ accountId }) => accountId, rank: 0 },
];

/** Returns a warning for patterns that match no model. */
export function unmatchedLines({ unmatchedModels }: Pick<Key, "unmatchedModels">): string[] {
  if (unmatchedModels.length === 0) return [];
  return [`warning: no model matches ${unmatchedModels.join(", ")}`];
}

/** Returns what there is to say of a key, a line for each part. */
export function keyLines(key: Key): string[] {
  const { id, accountId, channel, name, owner, tags, models } = key;
  const replaced = `until ${shortTime(key.replacedExpiresAt)}`;
  return [
    `key ${id} of account ${accountId}`,
    `state: ${stateOf(key)}`,
    ...line("name", name),
    ...line("key", key.shownKey),
    ...line("owner", owner),
    ...line("member", key.memberName),
    ...line("tags", tags.join(", ")),
    ...line("channel", channel),
    `models: ${models.join(", ") || "all"}`,
    ...unmatchedLines(key),
    `created: ${shortTime(key.createdAt)}`,
    `expires: ${shortTime(key.expiresAt) || "never"}`,
    ...useLines(key),
    ...line("revoked", shortTime(key.revokedAt)),
    ...line("rotated", shortTime(key.rotatedAt)),
    ...line("replaced text", key.replacedExpiresAt === undefined ? "" : replaced),
    ...limitLines(key.limits),
    ...endUserLines(key.endUsers),
  ];
}

export function keyJson(key: Key) {
  const { id, accountId, channel, name, owner, tags, models } = key;
  return {
    id,
    account_id: accountId,
    channel,
    name,
    shown_key: key.shownKey,
    owner,
    tags,
    models,
    state: stateOf(key),
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
    rotated_at: isoTime(key.rotatedAt),
    replaced_expires_at: isoTime(key.replacedExpiresAt),
    last_used_at: isoTime(key.lastUsedAt),
    month_charged_usd:
      key.monthChargedNanoUsd === undefined ? null : formatUsd(key.monthChargedNanoUsd),
    limits: limitsJson(key.limits),
    end_users: key.endUsers.map(endUserJson),
  };
}

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && timestampMs(expiresAt) <= Date.now() ? "expired" : "active";
}

/** The response to a change does not say how a key is used. */
function useLines({ lastUsedAt, monthChargedNanoUsd: charged }: Key): string[] {
  if (charged === undefined) return [];
  return [
    `last used: ${shortTime(lastUsedAt) || "never"}`,
    `charged this month: ${formatUsd(charged)} USD`,
  ];
}

function monthText({ monthChargedNanoUsd: charged = 0n }: Key): string {
  return charged === 0n ? "" : formatUsd(charged);
}

function modelsOf({ models }: Key): string {
  return cutText(models.join(","), maxModelsWidth);
}

function line(name: string, value: string): string[] {
  return value === "" ? [] : [`${name}: ${value}`];
}

function numberText(value: number | bigint | undefined): string {
  return value === undefined ? "" : String(value);
}
