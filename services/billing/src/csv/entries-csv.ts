import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { csvText, csvUsd } from "./csv-text.ts";

const header = [
  ...["id", "recorded_at", "account_id", "kind", "amount_usd", "uncollected_usd", "request_id"],
  ...["key_id", "alias", "route_type", "quantity", "unit_type", "reference", "reason"],
];

/** Returns a page of the ledger as CSV. Amounts are what is added to the balance. */
export function entriesCsv(entries: readonly Entry[], { isFirst }: { isFirst: boolean }): string {
  const rows = entries.map((entry) => [
    entry.id,
    entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString(),
    entry.accountId,
    entry.kind,
    csvUsd(entry.amountNanoUsd),
    csvUsd(entry.uncollectedNanoUsd),
    entry.requestId,
    entry.keyId,
    entry.alias,
    entry.routeType,
    String(entry.quantity),
    entry.unitType,
    entry.reference,
    entry.reason,
  ]);
  return csvText(isFirst ? [header, ...rows] : rows);
}
