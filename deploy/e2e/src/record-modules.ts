import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Loaded with `--import`: appends the URL of every module that the program resolves to the file
 * that `RECORD_MODULES` names.
 */
const file = process.env.RECORD_MODULES;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (file !== undefined) appendFileSync(file, `${resolved.url}\n`);
    return resolved;
  },
});
