import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkspaces } from "./workspaces.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** An exported declaration, which begins a line. */
const declaration =
  /^export (?:async |abstract )?(?:function\*?|class|interface|type|const|enum) (\w+)/gm;

/** A declaration of a proto file, on the top level or within a message. */
const protoDeclaration = /^ *(message|enum|service) (\w+)/gm;

const workspaces = await readWorkspaces();
const paths = workspaces.flatMap(({ files }) => files.map(({ path }) => path));
const protoPaths = (await readdir(`${root}proto`, { recursive: true }))
  .filter((path) => path.endsWith(".proto"))
  .map((path) => `proto/${path}`);

/** The folders of the vendors: each declares the columns of its record under the same names. */
const vendorFile = /^(services\/kit\/providers\/src\/)[^/]+\/[^/]+$/;

/**
 * Returns the files that declare each name. A type and a value of one file may share a name. A proto
 * file declares what its generated TypeScript exports: `Budget`, and `BudgetSchema` beside it.
 */
async function filesByName(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, file: string) =>
    found.set(name, (found.get(name) ?? new Set()).add(file));
  for (const path of paths) {
    const text = await readFile(`${root}${path}`, "utf8");
    for (const [, name = ""] of text.matchAll(declaration)) {
      add(name, path.replace(vendorFile, "$1<kind>"));
    }
  }
  for (const path of protoPaths) {
    const text = await readFile(`${root}${path}`, "utf8");
    for (const [, keyword, name = ""] of text.matchAll(protoDeclaration)) {
      add(name, path);
      if (keyword !== "service") add(`${name}Schema`, path);
    }
  }
  return found;
}

test("each name is declared in one file, so that it stands for one thing", async () => {
  const names = await filesByName();
  expect(names.size).toBeGreaterThan(1_000);
  expect(names.get("UsageEventSchema")).toEqual(new Set(["proto/tollgate/v1/usage.proto"]));
  const repeated = [...names]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(", ")}`);
  expect(repeated).toEqual([]);
});

/**
 * What is of the type that has its name, or returns one: the name of the type says what it is. And the
 * service that serves a service of the protocol.
 */
const ofTheirType = new Set([
  "billablecall",
  "chainoptions",
  "consoleservice",
  "meteredcall",
  "readrefusal",
]);

/** The code of the services, without the page's components, whose names begin with a capital. */
const isServiceCode = (file: string) => /^(proto|services\/.*\/src)\/.*(?<!\.tsx)$/.test(file);

test("names that case alone tells apart are in one file", async () => {
  const found = new Map<string, Map<string, string>>();
  for (const [name, files] of await filesByName()) {
    const file = [...files].find(isServiceCode);
    if (file === undefined) continue;
    const spelled = found.get(name.toLowerCase()) ?? new Map<string, string>();
    found.set(name.toLowerCase(), spelled.set(name, file));
  }
  const separated = [...found].filter(([, spelled]) => new Set(spelled.values()).size > 1);
  const excused = separated.filter(([key]) => ofTheirType.has(key));
  expect(excused.map(([key]) => key).sort()).toEqual([...ofTheirType].sort());
  const refused = separated.filter(([key]) => !ofTheirType.has(key));
  expect(refused.map(([, spelled]) => Object.fromEntries(spelled))).toEqual([]);
});
