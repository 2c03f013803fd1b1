import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Returns the folder of Scalar's browser build. `deploy/bundle` replaces this module. */
export function scalarFolder(): URL {
  const entryPoint = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return new URL("browser/", pathToFileURL(entryPoint));
}
