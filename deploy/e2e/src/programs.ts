import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inject } from "vitest";

const bundle = inject("bundleFolder");

/** The bundled gateway, and the operator's command: what the image contains. */
export const gatewayProgram = pathToFileURL(join(bundle, "main.mjs"));
export const commandProgram = pathToFileURL(join(bundle, "cli.mjs"));

/** Lets bundled programs read their compiled modules from earlier starts of the run. */
export const bundleCache = { NODE_COMPILE_CACHE: join(bundle, "compile-cache") };

/** The same for programs that run from their sources, also from earlier runs. */
export const sourceCache = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../../node_modules/.cache/tollgate-compile", import.meta.url),
  ),
};
