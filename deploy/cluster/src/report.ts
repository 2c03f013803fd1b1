import { styleText } from "node:util";
import { failuresOf } from "./load/plan.ts";
import { type Row, reportTable } from "./report-table.ts";
import type { Finding } from "./steps/step.ts";

/** What the steps of a test found. */
export interface Report {
  /**
   * Runs a step, prints its result at once, and adds it to the table. Returns whether it passed or
   * was skipped. Throws if the test was interrupted.
   */
  record(step: string, action: () => Promise<Finding>): Promise<boolean>;
  table(): string;
  hasFailed(): boolean;
}

const noteCharacters = 300;

/** Creates an empty report. */
export function createReport(interrupt: AbortSignal): Report {
  const rows: Row[] = [];
  return {
    async record(step, action) {
      interrupt.throwIfAborted();
      const startedAt = performance.now();
      const finding = await action().catch((error: Error): Finding => ({ problem: error.message }));
      interrupt.throwIfAborted();
      const row = rowOf(step, (performance.now() - startedAt) / 1_000, finding);
      rows.push(row);
      const color = row.outcome === "FAILED" ? "red" : "green";
      process.stdout.write(`${styleText(color, row.outcome)} ${step} ${row.note ?? ""}\n`);
      return row.outcome !== "FAILED";
    },
    table: () => reportTable(rows),
    hasFailed: () => rows.some(({ outcome }) => outcome === "FAILED"),
  };
}

function rowOf(step: string, seconds: number, finding: Finding): Row {
  const { problem, skipped, load } = finding;
  const note = problem ?? skipped ?? finding.note;
  return {
    step,
    outcome: problem !== undefined ? "FAILED" : skipped !== undefined ? "skipped" : "passed",
    seconds,
    ...(load && {
      requests: load.requests,
      failures: failuresOf(load),
      slowestMs: load.slowestMs,
    }),
    ...(note && { note: note.replaceAll(/\s+/g, " ").slice(0, noteCharacters) }),
  };
}
