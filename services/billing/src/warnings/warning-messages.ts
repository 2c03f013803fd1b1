import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import {
  WarningChannelKind,
  type WarningChannel as WarningChannelMessage,
  WarningChannelSchema,
  WarningKind,
  type Warning as WarningMessage,
  type WarningRules,
  WarningSchema,
} from "@tollgate/proto/tollgate/v1/warning";
import type { Warning, WarningChannel } from "../generated/client.ts";
import type { Sealer } from "../sealing.ts";
import { openTarget } from "./channels.ts";

/** The most rules of an account, or of the gateway. */
export const maxRules = 20;
const maxDays = 365n;
const maxPercent = 100n;
const maxTimes = 100n;
const maxAmount = 2n ** 63n - 1n;

const accountKinds: Readonly<Partial<Record<WarningKind, bigint>>> = {
  [WarningKind.BALANCE]: maxAmount,
  [WarningKind.DAYS_LEFT]: maxDays,
  [WarningKind.BUDGET]: maxPercent,
  [WarningKind.KEY_EXPIRY]: maxDays,
  [WarningKind.SPEND]: maxTimes,
  [WarningKind.STATEMENT]: 0n,
  [WarningKind.AUTO_TOP_UP]: 0n,
};

const gatewayKinds: Readonly<Partial<Record<WarningKind, bigint>>> = {
  [WarningKind.PROVIDER]: 0n,
  [WarningKind.CATALOG]: 0n,
  [WarningKind.UNCOLLECTED]: maxAmount,
  [WarningKind.PAYMENT]: 0n,
  [WarningKind.INVOICE]: 0n,
};

/** Throws `invalid_param` for rules that an account, or the gateway, cannot have. */
export function checkRules({ rules }: WarningRules, accountId: string): void {
  const kinds = accountId === "" ? gatewayKinds : accountKinds;
  if (rules.length > maxRules) throw invalidParam("rules", `must be at most ${maxRules}`);
  for (const { kind, threshold } of rules) {
    const most = kinds[kind];
    const owner = accountId === "" ? "the gateway" : "an account";
    if (most === undefined) throw invalidParam("rules", `must be of kinds that ${owner} has`);
    if (threshold <= most && (most === 0n || kind === WarningKind.UNCOLLECTED || threshold > 0n)) {
      continue;
    }
    const name = WarningKind[kind]?.toLowerCase();
    throw invalidParam("rules", `must have a threshold from 1 to ${most} for ${name}`);
  }
  const distinct = new Set(rules.map(({ kind, threshold }) => `${kind} ${threshold}`));
  if (distinct.size < rules.length) throw invalidParam("rules", "must each be there once");
}

/** Returns a stored warning as a message. */
export function toWarning({ begunAt, endedAt, ...stored }: Warning): WarningMessage {
  const { id, accountId, title, text, keyId } = stored;
  return create(WarningSchema, {
    ...{ id, accountId, title, text, keyId, kind: kindOf(stored.kind) },
    begunAt: timestampFromDate(begunAt),
    ...(endedAt && { endedAt: timestampFromDate(endedAt) }),
  });
}

/** Returns a channel as people see it: of a webhook, the host alone. */
export function toChannel(
  sealer: Sealer,
  channel: WarningChannel,
  waiting: number,
): WarningChannelMessage {
  const { id, createdAt, deliveredAt, error, errorAt } = channel;
  const { target } = openTarget(sealer, channel);
  const kind = channelKinds[channel.kind] ?? WarningChannelKind.UNSPECIFIED;
  return create(WarningChannelSchema, {
    ...{ id, kind, error, waiting },
    target: kind === WarningChannelKind.MAIL ? target : new URL(target).host,
    createdAt: timestampFromDate(createdAt),
    ...(deliveredAt && { deliveredAt: timestampFromDate(deliveredAt) }),
    ...(errorAt && { errorAt: timestampFromDate(errorAt) }),
  });
}

const channelKinds: Readonly<Record<string, WarningChannelKind>> = {
  mail: WarningChannelKind.MAIL,
  webhook: WarningChannelKind.WEBHOOK,
  slack: WarningChannelKind.SLACK,
};

function kindOf(text: string): WarningKind {
  const kind = (WarningKind as unknown as Record<string, WarningKind>)[text.toUpperCase()];
  return kind ?? WarningKind.UNSPECIFIED;
}
