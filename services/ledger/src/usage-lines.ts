import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UsageLine, UsageLineSchema } from "@tollgate/proto/tollgate/v1/usage";

/** A line as the column `entry.lines` stores it. Its numbers are decimal strings. */
interface StoredLine {
  dimension: string;
  quantity: string;
  price_pico_usd: string;
  per: string;
  amount_nano_usd: string;
}

/** Returns the JSON of lines for the column `entry.lines`. */
export function toLinesJson(lines: readonly UsageLine[]): string {
  return JSON.stringify(
    lines.map(
      (line): StoredLine => ({
        dimension: line.dimension,
        quantity: String(line.quantity),
        price_pico_usd: String(line.pricePicoUsd),
        per: String(line.per),
        amount_nano_usd: String(line.amountNanoUsd),
      }),
    ),
  );
}

/** Returns the lines of a stored entry. `stored` is a value of the column `entry.lines`. */
export function readLines(stored: unknown): MessageInitShape<typeof UsageLineSchema>[] {
  // Only captures write the column.
  return (stored as StoredLine[]).map((line) => ({
    dimension: line.dimension,
    quantity: BigInt(line.quantity),
    pricePicoUsd: BigInt(line.price_pico_usd),
    per: BigInt(line.per),
    amountNanoUsd: BigInt(line.amount_nano_usd),
  }));
}
