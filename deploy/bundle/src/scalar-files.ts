import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const docs = "services/edge/src/routes/docs";
const folderModule = /[\\/]routes[\\/]docs[\\/]scalar-folder\.ts$/;

/** Makes the edge read Scalar's files from beside the bundle. */
export function scalarFiles(): Plugin {
  return {
    name: "scalar-files",
    load(id) {
      const code = 'export const scalarFolder = () => new URL("scalar/", import.meta.url);';
      return folderModule.test(id) ? code : null;
    },
  };
}

/** Copies the files of Scalar's browser build that the edge serves to the bundle in `folder`. */
export async function copyScalarFiles(root: string, folder: string): Promise<void> {
  const { resolve } = createRequire(join(root, docs, "scalar-folder.ts"));
  const build = join(dirname(resolve("@scalar/api-reference")), "browser");
  const target = join(folder, docs, "scalar");
  await cp(join(build, "standalone.esm.js"), join(target, "standalone.esm.js"));
  await cp(join(build, "chunks"), join(target, "chunks"), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
}
