/** A column of a table. */
export interface TableColumn<Row> {
  title: string;
  cell(row: Row): string;
  align?: "left" | "right";
  /** Columns with a rank are left out where the table is too wide, the lowest first. */
  rank?: number;
}

/** A column whose cells have one width. */
export interface LaidOut {
  cells: string[];
  width: number;
  rank: number | undefined;
}

/** What separates columns. */
export const gap = "  ";
/** Where the output is no terminal. */
const defaultWidth = 120;

/** Returns the width of the terminal, in characters. */
export function terminalWidth(): number {
  return process.stdout.columns ?? defaultWidth;
}

/**
 * Returns the lines of a table, `width` characters wide at most where its columns without a rank fit.
 * A column that is empty in every row is left out.
 */
export function formatTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  width = terminalWidth(),
): string[] {
  if (rows.length === 0) return ["none"];
  const filled = columns.filter(({ cell }) => rows.some((row) => cell(row) !== ""));
  const shown = fitting(
    filled.map((column) => layOut(column, rows)),
    width + gap.length,
  );
  return Array.from({ length: rows.length + 1 }, (_, row) =>
    shown
      .map(({ cells }) => cells[row] ?? "")
      .join(gap)
      .trimEnd(),
  );
}

/** Returns a column's title and cells, each on one line, padded to one width. */
export function layOut<Row>(
  { title, cell, align, rank }: TableColumn<Row>,
  rows: readonly Row[],
): LaidOut {
  const oneLine = (row: Row) => cell(row).replaceAll(/\r?\n/g, " ");
  const texts = [title, ...rows.map(oneLine)];
  const width = Math.max(...texts.map((text) => text.length));
  const pad = (text: string) => (align === "left" ? text.padEnd(width) : text.padStart(width));
  return { cells: texts.map(pad), width, rank };
}

/** Leaves columns out until the others take `width` characters, each with a gap. */
export function fitting(columns: LaidOut[], width: number): LaidOut[] {
  const total = columns.reduce((sum, column) => sum + gap.length + column.width, 0);
  const ranks = columns.flatMap(({ rank }) => rank ?? []);
  if (total <= width || ranks.length === 0) return columns;
  const lowest = Math.min(...ranks);
  return fitting(
    columns.filter(({ rank }) => rank !== lowest),
    width,
  );
}

/** Cuts a text that is longer than `width` characters. */
export function cutText(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
