import { transcriptionWires } from "@tollgate/catalog/provider-kind";
import { routes } from "@tollgate/edge/routes";
import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { vendors } from "@tollgate/providers";
import { describe, expect, test } from "vitest";
import { endingOf } from "./endings.ts";
import {
  cellsOf,
  chatWires,
  endings,
  longEndings,
  type MatrixRow,
  matrix,
  type ServedBy,
} from "./matrix.ts";

const nameOf = ({ path, form, by = "usual" }: Omit<MatrixRow, "call" | "charges">) =>
  `${path} as ${form}, ${by}`;
const rowsOf = (path: string, served: ServedBy = "usual") =>
  matrix
    .filter((row) => row.path === path && (row.by ?? "usual") === served)
    .map(({ form }) => form)
    .sort();

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
    for (const path of chatWires) {
      expect(rowsOf(path), path).toEqual(["stream", "whole"]);
      expect(rowsOf(path, "hidden"), path).toEqual(["stream"]);
    }
  });

  test("has rows for each wire but that of chat completions, which is usual, that a kind speaks", () => {
    const spoken = new Set(Object.values(vendors).flatMap(({ nativeWires }) => [...nativeWires]));
    spoken.delete("chat");
    const native = [...spoken].map((wire) => `/v1/${wire}`);
    expect(chatWires.filter((path) => rowsOf(path, "native").length > 0).sort()).toEqual(
      native.sort(),
    );
    for (const path of native) expect(rowsOf(path, "native"), path).toEqual(["stream", "whole"]);
  });

  test("has rows for each form in which providers take a file of audio", () => {
    const served: Record<(typeof transcriptionWires)[number], ServedBy> = {
      raw: "usual",
      multipart: "form",
    };
    for (const form of transcriptionWires) {
      expect(rowsOf("/v1/audio/transcriptions", served[form])).toEqual(["stream", "whole"]);
    }
  });

  test("has no row twice, and none for another path", () => {
    const rows = matrix.map(nameOf);
    expect(new Set(rows).size).toBe(rows.length);
    for (const { path } of matrix) expect(billable).toContain(path);
  });

  test("has no cell that no test runs", () => {
    const unrun = endings.flatMap((ending) =>
      cellsOf(ending).filter(
        (cell) => endingOf(cell) === undefined && !longEndings.includes(ending),
      ),
    );
    expect(unrun.map(({ call, ending, ...row }) => [nameOf({ ...row, ...call }), ending])).toEqual(
      [],
    );
  });
});
