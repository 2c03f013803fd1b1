/** One line of the report. */
export interface Row {
  step: string;
  outcome: "passed" | "FAILED" | "skipped";
  seconds: number;
  requests?: number;
  failures?: number;
  slowestMs?: number;
  note?: string;
}

const head = ["step", "outcome", "seconds", "requests", "failures", "slowest ms", "note"];

/** Returns the rows as a Markdown table with aligned columns. */
export function reportTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.step,
    row.outcome,
    row.seconds.toFixed(0),
    show(row.requests),
    show(row.failures),
    show(row.slowestMs),
    row.note ?? "",
  ]);
  const widths = head.map((name, column) =>
    Math.max(...[head, ...cells].map((row) => row[column]?.length ?? name.length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[line(head), rule, ...cells.map(line)].join("\n")}\n`;
}

function show(count: number | undefined): string {
  return count === undefined ? "" : count.toLocaleString("en");
}
