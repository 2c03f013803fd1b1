import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns the programs of a bundle, and the variable that names their compile cache beside them. */
export function bundledPrograms(folder: string) {
  return {
    gateway: pathToFileURL(join(folder, "main.mjs")),
    command: pathToFileURL(join(folder, "cli.mjs")),
    cache: { NODE_COMPILE_CACHE: join(folder, "compile-cache") },
  };
}
