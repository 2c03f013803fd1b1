import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const bindingModule = /[\\/]classic-level[\\/]binding\.js$/;

/** Makes classic-level load its native binding from the bundle's folder, by a fixed name. */
export function nativeBinding(): Plugin {
  return {
    name: "native-binding",
    resolveId(id) {
      return id === "./classic-level.node" ? { id, external: true } : null;
    },
    load(id) {
      return bindingModule.test(id) ? 'module.exports = require("./classic-level.node");' : null;
    },
  };
}

/** Returns the path of the native binding for this machine, which must have glibc. */
export function nativeBindingFile(): string {
  const resolve = createRequire(import.meta.url).resolve;
  const prebuilds = join(dirname(resolve("classic-level/package.json")), "prebuilds");
  const files: Partial<Record<string, string>> = {
    "linux-x64": "linux-x64/classic-level.node",
    "linux-arm64": "linux-arm64/classic-level.armv8.node",
  };
  const platform = `${process.platform}-${process.arch}`;
  const file = files[platform];
  if (file === undefined) throw new Error(`the bundle cannot be built on ${platform}`);
  return join(prebuilds, file);
}
