import { routes } from "@tollgate/edge/routes";
import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { describe, expect, test } from "vitest";
import { endingOf } from "./endings.ts";
import { cellsOf, chatWires, endings, longEndings, matrix } from "./matrix.ts";

const rowsOf = (path: string) => matrix.filter((row) => row.path === path).map(({ form }) => form);

describe("the matrix of what is charged", () => {
  const billable = routes
    .filter(({ wallet, createUpgradeHandler }) => wallet === "charged" || createUpgradeHandler)
    .map(({ path }) => path);

  test.each(billable)("has a row for %s", (path) => {
    expect(rowsOf(path)).not.toEqual([]);
  });

  test("has a row for each chat wire, as JSON and as a stream", () => {
    const wires = Object.values(WireName).filter((wire) => typeof wire === "number" && wire !== 0);
    expect(chatWires).toHaveLength(wires.length);
    for (const path of chatWires) expect(rowsOf(path).sort()).toEqual(["stream", "whole"]);
  });

  test("has no row twice, and none for another path", () => {
    const rows = matrix.map(({ path, form }) => `${path} ${form}`);
    expect(new Set(rows).size).toBe(rows.length);
    for (const { path } of matrix) expect(billable).toContain(path);
  });

  test("has no cell that no test runs", () => {
    const unrun = endings.flatMap((ending) =>
      cellsOf(ending).filter(
        (cell) => endingOf(cell) === undefined && !longEndings.includes(ending),
      ),
    );
    expect(unrun.map(({ call, form, ending }) => `${call.path} as ${form}: ${ending}`)).toEqual([]);
  });
});
