import { dirname } from "node:path";
import { expect, test } from "vitest";
import { findCycleArrows } from "./import-cycles.ts";
import { readWorkspaces, type SourceFile, type Workspace } from "./workspaces.ts";

/** Which packages of ours each package of the kit may import. */
const kitLayers: Readonly<Record<string, readonly string[]>> = {
  core: [],
  catalog: ["core"],
  "list-prices": ["core", "catalog"],
  rpc: ["core", "proto"],
  http: ["core", "catalog", "proto"],
  runtime: ["core", "catalog", "rpc", "http", "proto"],
  upstream: ["core", "catalog"],
  providers: ["core", "catalog", "upstream"],
  metering: ["core", "catalog", "rpc", "runtime", "proto"],
  generation: ["core", "catalog", "rpc", "runtime", "upstream", "providers", "metering", "proto"],
};

/** The most lines that ship in one folder of the kit, without the folders in it. */
const maxFolderLines = 2_500;

const workspaces = await readWorkspaces();
const kit = workspaces.filter(({ folder }) => folder.startsWith("services/kit/"));
const services = workspaces.filter(({ folder }) => /^services\/[^/]+$/.test(folder));
const serviceNames = services.map(({ name }) => name);

/** Returns one line for each import by `files` that `problemOf` objects to. */
function violations(
  files: readonly SourceFile[],
  problemOf: (imported: SourceFile["imports"][number], file: SourceFile) => string | undefined,
): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((imported) => {
      const problem = problemOf(imported, file);
      const target =
        imported.file ?? [imported.package, imported.subpath].filter(Boolean).join("/");
      return problem === undefined ? [] : [`${file.path} → ${target}: ${problem}`];
    }),
  );
}

/** Returns the name of a package of ours, or undefined for any other package. */
function ourPackage(name: string | undefined): string | undefined {
  return name?.startsWith("@tollgate/") ? name.slice("@tollgate/".length) : undefined;
}

const shipped = ({ files }: Workspace) => files.filter(({ isTest }) => !isTest);

test("every package of the kit has a layer", () => {
  expect(kit.map(({ name }) => name).sort()).toEqual(Object.keys(kitLayers).sort());
});

test("a package of the kit imports only packages of the layers below it", () => {
  const found = kit.flatMap((workspace) => {
    const allowed = kitLayers[workspace.name] ?? [];
    return violations(shipped(workspace), (imported) => {
      const name = ourPackage(imported.package);
      if (name === undefined || allowed.includes(name)) return undefined;
      return `of ours, ${workspace.name} may import only: ${allowed.join(", ") || "nothing"}`;
    });
  });
  expect(found).toEqual([]);
});

test("a service imports the kit and the protocol, and no other service", () => {
  const allowed = [...Object.keys(kitLayers), "proto"];
  const found = services.flatMap((workspace) =>
    violations(workspace.files, (imported, file) => {
      const name = ourPackage(imported.package);
      if (name === undefined || allowed.includes(name)) return undefined;
      // The program starts all services.
      if (workspace.name === "program" && serviceNames.includes(name)) return undefined;
      if (serviceNames.includes(name)) return `${workspace.name} may import no other service`;
      return file.isTest ? undefined : `${workspace.name} may import only the kit and the protocol`;
    }),
  );
  expect(found).toEqual([]);
});

test("no package imports a file of another by its path", () => {
  const found = workspaces.flatMap(({ name, folder, files }) =>
    violations(files, ({ file }) =>
      file === undefined || file.startsWith(`${folder}/`) ? undefined : `it is outside ${name}`,
    ),
  );
  expect(found).toEqual([]);
});

test("no files of a package import each other in a cycle, types included", () => {
  const found = workspaces.flatMap(({ files }) => findCycleArrows(files));
  expect(found).toEqual([]);
});

test("only specs import vitest under src", () => {
  // The package of the end-to-end tests has their shared code under src.
  const found = workspaces
    .filter(({ name }) => name !== "e2e")
    .flatMap((workspace) =>
      violations(shipped(workspace), (imported) =>
        imported.package === "vitest" ? "only a spec may import it" : undefined,
      ),
    );
  expect(found).toEqual([]);
});

test("every imported package is declared in the package.json of its workspace", () => {
  const found = workspaces.flatMap(({ folder, files, dependencies, devDependencies }) =>
    violations(files, (imported, file) => {
      const name = imported.package;
      if (name === undefined || name.startsWith("node:") || name === "vitest") return undefined;
      if (dependencies.includes(name)) return undefined;
      const mayBeDev = file.isTest || folder.startsWith("deploy/");
      if (mayBeDev && devDependencies.includes(name)) return undefined;
      const place = mayBeDev ? "dependencies or devDependencies" : "dependencies";
      return `it is not among the ${place} of ${folder}/package.json`;
    }),
  );
  expect(found).toEqual([]);
});

test("only the operator's calls and commands import the list prices of models", () => {
  const users = ["services/kit/list-prices/", "services/cli/", "services/billing/src/operator/"];
  const found = workspaces.flatMap(({ files }) =>
    violations(
      files.filter(({ path }) => !users.some((folder) => path.startsWith(folder))),
      (imported) =>
        ["@pydantic/genai-prices", "@tollgate/list-prices"].includes(imported.package ?? "")
          ? "a request is priced by the catalog"
          : undefined,
    ),
  );
  expect(found).toEqual([]);
});

test("every exported subpath is imported by another package", () => {
  const imported = new Set(
    workspaces.flatMap(({ name, files }) =>
      files
        .flatMap(({ imports }) => imports)
        .flatMap((one) => (one.package === undefined ? [] : one))
        .filter((one) => one.package !== `@tollgate/${name}`)
        .map((one) => `${one.package}/${one.subpath}`),
    ),
  );
  const found = workspaces.flatMap(({ name, folder, exports }) =>
    exports
      .filter((subpath) => !imported.has(`@tollgate/${name}/${subpath}`))
      .map((subpath) => `${folder}/package.json exports ./${subpath}, which no package imports`),
  );
  expect(found).toEqual([]);
});

test(`no folder of the kit has more than ${maxFolderLines} lines that ship`, () => {
  const linesOf = new Map<string, number>();
  for (const { path, lines } of kit.flatMap(shipped)) {
    const folder = dirname(path);
    linesOf.set(folder, (linesOf.get(folder) ?? 0) + lines);
  }
  const found = [...linesOf]
    .filter(([, lines]) => lines > maxFolderLines)
    .map(([folder, lines]) => `${folder} has ${lines} lines`);
  expect(found).toEqual([]);
});
