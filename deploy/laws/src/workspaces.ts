import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The folders whose subfolders are workspaces, as in the package.json of the repository. */
const parents = ["services", "services/console", "services/kit", "deploy"];

/** A package of this repository and its TypeScript files. */
export interface Workspace {
  /** Without the scope: `core` for `@tollgate/core`. */
  name: string;
  /** Relative to the repository, for example `services/kit/core`. */
  folder: string;
  /** The modules that it exports by name, for example `errors`; "" is the package's own name. */
  exports: readonly string[];
  /** The optional ones included. */
  dependencies: readonly string[];
  devDependencies: readonly string[];
  files: readonly SourceFile[];
}

export interface SourceFile {
  /** Relative to the repository. */
  path: string;
  /** Whether it runs in tests only: a spec, or a file outside `src`. */
  isTest: boolean;
  lines: number;
  imports: readonly Import[];
}

/** An import of a package, by its name and subpath, or of a file, by its path. */
export type Import =
  | { package: string; subpath: string; file?: undefined }
  | { file: string; package?: undefined };

interface Manifest {
  name: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Reads every workspace with TypeScript sources. Type imports count as imports. */
export async function readWorkspaces(): Promise<Workspace[]> {
  const found = await Promise.all(parents.map(foldersIn));
  const workspaces = await Promise.all(found.flat().map(readWorkspace));
  return workspaces.filter((workspace) => workspace !== undefined);
}

async function foldersIn(parent: string): Promise<string[]> {
  const entries = await readdir(join(root, parent), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`);
}

async function readWorkspace(folder: string): Promise<Workspace | undefined> {
  const text = await readFile(join(root, folder, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Manifest;
  const exported = Object.entries(manifest.exports ?? {}).filter(
    ([name, target]) => !name.includes("*") && target.endsWith(".ts"),
  );
  return {
    name: manifest.name.replace("@tollgate/", ""),
    folder,
    exports: exported.map(([name]) => name.replace(/^\.\/?/, "")),
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
    files: await readSources(folder),
  };
}

async function readSources(folder: string): Promise<SourceFile[]> {
  const paths = await sourcesIn(join(root, folder));
  return Promise.all(
    paths.map(async (absolute) => {
      const path = relative(root, absolute);
      const text = await readFile(absolute, "utf8");
      return {
        path,
        isTest: !path.startsWith(`${folder}/src/`) || path.endsWith(".spec.ts"),
        lines: text.split("\n").length - 1,
        imports: specifiersIn(text).map((specifier) => resolveImport(specifier, path)),
      };
    }),
  );
}

const skippedFolders = new Set(["node_modules", "generated", "dist"]);

/** A folder with a package.json of its own is another workspace. */
async function sourcesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return /\.tsx?$/.test(entry.name) ? [path] : [];
      const isSkipped = skippedFolders.has(entry.name) || existsSync(join(path, "package.json"));
      return isSkipped ? [] : sourcesIn(path);
    }),
  );
  return found.flat().sort();
}

/** Static imports and re-exports, which begin a line; dynamic imports and resolutions of a literal. */
const importPatterns = [
  /^(?:import|export)\s+(?:type\s+)?[\w\s{},*$]*?from\s+"([^"]+)"/gm,
  /^import\s+"([^"]+)"/gm,
  /\bimport(?:\.meta\.resolve)?\("([^"]+)"\)/g,
];

function specifiersIn(text: string): string[] {
  return importPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, specifier = ""]) => specifier),
  );
}

function resolveImport(specifier: string, from: string): Import {
  if (specifier.startsWith(".")) return { file: join(dirname(from), specifier) };
  const parts = specifier.split("/");
  const nameLength = specifier.startsWith("@") ? 2 : 1;
  return {
    package: parts.slice(0, nameLength).join("/"),
    subpath: parts.slice(nameLength).join("/"),
  };
}
