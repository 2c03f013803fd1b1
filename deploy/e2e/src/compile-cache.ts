import { fileURLToPath } from "node:url";

/** Lets the programs that tests start read their compiled modules from earlier starts. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../../node_modules/.cache/tollgate-compile", import.meta.url),
  ),
};
