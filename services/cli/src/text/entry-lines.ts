import { timestampDate } from "@bufbuild/protobuf/wkt";
import { formatPicoUsd, formatUsd } from "@tollgate/core/money";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageLine } from "@tollgate/proto/tollgate/v1/usage";

/** Returns an entry as a line. */
export function entryLine(entry: Entry): string {
  const at = entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString();
  const amount = formatUsd(entry.amountNanoUsd).padStart(14);
  const { quantity, unitType } = entry;
  const subject =
    entry.alias === ""
      ? `${entry.reference} ${entry.reason}`.trimEnd()
      : `${entry.alias} ${quantity} ${unitType}`;
  const { uncollectedNanoUsd } = entry;
  const uncollected =
    uncollectedNanoUsd > 0n ? ` (uncollected ${formatUsd(uncollectedNanoUsd)})` : "";
  return `${at} ${amount} ${entry.kind.padEnd(10)} ${entry.accountId} ${subject}${uncollected}`;
}

/** Returns an entry as `--json` prints it. */
export function entryJson(entry: Entry) {
  return {
    id: entry.id,
    event_id: entry.eventId,
    account_id: entry.accountId,
    key_id: entry.keyId,
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
    reason: entry.reason,
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
