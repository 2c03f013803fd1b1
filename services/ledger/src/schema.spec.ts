import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { ledgerSchema } from "./schema.ts";

const maxLines = 80;

it("creates the function of its name in each file, with 80 lines at most", async () => {
  const files = await readdir(ledgerSchema.functions, { recursive: true });
  const paths = files.filter((file) => file.endsWith(".sql"));
  expect(paths).toContain("entries/capture_usage.sql");
  for (const path of paths) {
    const sql = await readFile(new URL(path, ledgerSchema.functions), "utf8");
    const code = sql.split("\n").filter((line) => line !== "" && !line.startsWith("--"));
    expect([path, code[0]]).toEqual([path, expect.stringContaining(` ${basename(path, ".sql")}(`)]);
    expect([path, code.length <= maxLines]).toEqual([path, true]);
  }
});
