import { createHash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const frozenFile = new URL("./frozen-migrations.sha256", import.meta.url);

/** The migrations that databases may have applied, as `sha256sum` lists them: path, and checksum. */
const frozen = new Map(
  (await readFile(frozenFile, "utf8"))
    .trim()
    .split("\n")
    .map((line) => [line.slice(66), line.slice(0, 64)] as const),
);

const checksums = new Map<string, string>();
for await (const path of glob("services/*/prisma/migrations/*/migration.sql", { cwd: root })) {
  const hash = createHash("sha256").update(await readFile(new URL(path, root)));
  checksums.set(path, hash.digest("hex"));
}

// A database that has applied a migration would never get what is changed in it.
it("a migration that databases may have applied never changes", () => {
  expect(frozen.size).toBeGreaterThan(4);
  const kept = [...frozen].map(([path]) => [path, checksums.get(path)]);
  expect(kept).toEqual([...frozen]);
});

it("a migration that is added comes after those of its service that are frozen", () => {
  const added = [...checksums.keys()].filter((path) => !frozen.has(path));
  const early = added.filter((path) =>
    [...frozen.keys()].some((other) => folderOf(other) === folderOf(path) && other > path),
  );
  expect(early).toEqual([]);
});

function folderOf(path: string): string {
  return dirname(dirname(path));
}
