import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkspaces } from "./workspaces.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** An exported declaration, which begins a line. */
const declaration =
  /^export (?:async |abstract )?(?:function\*?|class|interface|type|const|enum) (\w+)/gm;

const workspaces = await readWorkspaces();
const paths = workspaces.flatMap(({ files }) => files.map(({ path }) => path));

/** The folders of the vendors: each declares the columns of its record under the same names. */
const vendorFile = /^(services\/kit\/providers\/src\/)[^/]+\/[^/]+$/;

/** Returns the files that export each name. A type and a value of one file may share a name. */
async function filesByName(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  for (const path of paths) {
    const text = await readFile(`${root}${path}`, "utf8");
    for (const [, name = ""] of text.matchAll(declaration)) {
      found.set(name, (found.get(name) ?? new Set()).add(path.replace(vendorFile, "$1<kind>")));
    }
  }
  return found;
}

test("each exported name is declared in one file, so that it stands for one thing", async () => {
  const names = await filesByName();
  expect(names.size).toBeGreaterThan(1_000);
  const repeated = [...names]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(", ")}`);
  expect(repeated).toEqual([]);
});
