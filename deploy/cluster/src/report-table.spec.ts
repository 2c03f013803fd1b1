import { expect, test } from "vitest";
import { reportTable } from "./report-table.ts";

test("the table is Markdown with aligned columns", () => {
  const rows = [
    { step: "install", outcome: "passed", seconds: 12.4 },
    { step: "upgrade", outcome: "FAILED", seconds: 75, requests: 21_491, failures: 2, note: "503" },
  ] as const;
  expect(reportTable(rows)).toBe(
    [
      "| step    | outcome | seconds | requests | failures | slowest ms | note |",
      "| ------- | ------- | ------- | -------- | -------- | ---------- | ---- |",
      "| install | passed  | 12      |          |          |            |      |",
      "| upgrade | FAILED  | 75      | 21,491   | 2        |            | 503  |",
      "",
    ].join("\n"),
  );
});
