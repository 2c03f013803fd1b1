import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { bundledPrograms } from "./bundled-programs.ts";

/**
 * The bundled gateway and the operator's command, which the image contains. `bundleCache` lets them
 * read their compiled modules from earlier starts of the run.
 */
export const {
  gateway: gatewayProgram,
  command: commandProgram,
  cache: bundleCache,
} = bundledPrograms(inject("bundleFolder"));

/** The same for programs that run from their sources, also from earlier runs. */
export const sourceCache = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../../node_modules/.cache/tollgate-compile", import.meta.url),
  ),
};
