import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readWorkspaces } from "./workspaces.ts";

/** The page of the console runs in a browser. */
const browser = /^services\/console\/web\//;

test("no service has an interval of its own: work that repeats is a `repeat` of the kit", async () => {
  const root = new URL("../../../", import.meta.url);
  const files = (await readWorkspaces())
    .filter(({ folder }) => folder.startsWith("services/"))
    .flatMap(({ files }) => files)
    .filter(({ path, isTest }) => !isTest && !browser.test(path));
  expect(files.length).toBeGreaterThan(300);
  const withInterval = await Promise.all(
    files.map(async ({ path }) => {
      const text = await readFile(new URL(path, root), "utf8");
      return /\bsetInterval\(/.test(text) ? [path] : [];
    }),
  );
  expect(withInterval.flat()).toEqual([]);
});
