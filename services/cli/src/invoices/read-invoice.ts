import { parsePicoUsd } from "@tollgate/core/money";
import { parse } from "csv-parse/sync";
import { UsageError } from "../help.ts";

/** The columns of an invoice. Others are ignored. */
const columns = ["model", "cost_usd"] as const;
const picoPerNano = 1_000n;

/**
 * Returns what a vendor charges, by the vendor's names of its models, in nano-USD. The CSV (RFC 4180) has a header;
 * records of one model are added. Credits are negative. Throws a UsageError that names the record that is invalid.
 */
export function readInvoice(text: string): ReadonlyMap<string, bigint> {
  const picoUsd = new Map<string, bigint>();
  for (const [index, record] of recordsOf(text).entries()) {
    const { model = "", cost_usd: cost = "" } = record;
    const [, sign = "", digits = ""] = /^(-?)(.*)$/s.exec(cost.trim()) ?? [];
    const amount = parsePicoUsd(digits);
    if (model === "" || amount === undefined) {
      throw new UsageError(`record ${index + 1} needs a model, and a cost_usd such as 12.50`);
    }
    picoUsd.set(model, (picoUsd.get(model) ?? 0n) + (sign === "-" ? -amount : amount));
  }
  // Rounded up: what is paid is never shown as less.
  const roundUp = (pico: bigint) => pico / picoPerNano + (pico % picoPerNano > 0n ? 1n : 0n);
  return new Map([...picoUsd].map(([model, pico]) => [model, roundUp(pico)]));
}

function recordsOf(text: string): Partial<Record<(typeof columns)[number], string>>[] {
  try {
    const options = { columns: true, bom: true, trim: true, skip_empty_lines: true } as const;
    const records = parse(text, options) as Record<string, string>[];
    const [first] = records;
    if (first !== undefined && columns.every((name) => name in first)) return records;
  } catch (error) {
    throw new UsageError(`the invoice is not CSV: ${(error as Error).message}`);
  }
  throw new UsageError(`the invoice needs a record, and the columns ${columns.join(" and ")}`);
}
