import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Named by `--import`: writes the address of every module that the program resolves to the file in
 * `RECORD_MODULES`.
 */
const file = process.env.RECORD_MODULES;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (file !== undefined) appendFileSync(file, `${resolved.url}\n`);
    return resolved;
  },
});
