import { formatPicoUsd } from "@tollgate/core/money";

/** Returns lines of CSV (RFC 4180), each ended by a line feed. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\n`).join("");
}

/** Returns an amount as every file has it: an exact decimal without zeros at its end. */
export function csvUsd(nanoUsd: bigint): string {
  const text = formatPicoUsd((nanoUsd < 0n ? -nanoUsd : nanoUsd) * 1_000n);
  return nanoUsd < 0n ? `-${text}` : text;
}

/** Signs in full width count, too: spreadsheets of some languages take them for the plain ones. */
const formulaStart = /^[=+\-@＝＋－＠\t\r\n]/;

/** A text that a spreadsheet would run as a formula is preceded by an apostrophe; a number is not. */
function cellOf(text: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const safe = !isNumber && formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
