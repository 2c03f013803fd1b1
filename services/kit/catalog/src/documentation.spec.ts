import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { testKinds } from "../test/kinds.ts";
import { catalogFileSchema } from "./schema.ts";

const page = new URL("../../../../docs/catalog.md", import.meta.url);

/** Returns the names of all fields of the file, at any depth. */
function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsIn)];
}

/** Returns the names in code format in those columns of the page's tables that are titled "field…". */
function documentedFields(text: string): string[] {
  const tables = text.match(/(?:^\|.*\|$\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [header = [], , ...rows] = table
      .trim()
      .split("\n")
      .map((row) => row.split("|"));
    const column = header.findIndex((title) => title.trim().startsWith("field"));
    const cells = column < 0 ? [] : rows.map((row) => row[column] ?? "");
    return cells.flatMap((cell) =>
      Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
    );
  });
}

test("the documentation has every field of the catalog, and no other field", async () => {
  const schema = z.toJSONSchema(catalogFileSchema(testKinds), { io: "input" });
  const documented = documentedFields(await readFile(page, "utf8"));
  // The names of these fields are the operator's.
  const fields = [...fieldsIn(schema), "tool:NAME"];
  expect([...new Set(documented)].sort()).toEqual([...new Set(fields)].sort());
});
