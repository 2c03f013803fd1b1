import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const binding = /[\\/]classic-level[\\/]binding\.js$/;

/** Lets classic-level load its native part from beside the bundle, under one known name. */
export function nativeStore(): Plugin {
  return {
    name: "native-store",
    resolveId(id) {
      return id === "./classic-level.node" ? { id, external: true } : null;
    },
    load(id) {
      return binding.test(id) ? 'module.exports = require("./classic-level.node");' : null;
    },
  };
}

/** The native part for the machine that this runs on, which must have glibc. */
export function nativeStoreFile(): string {
  const resolve = createRequire(import.meta.url).resolve;
  const prebuilds = join(dirname(resolve("classic-level/package.json")), "prebuilds");
  const files: Partial<Record<string, string>> = {
    "linux-x64": "linux-x64/classic-level.node",
    "linux-arm64": "linux-arm64/classic-level.armv8.node",
  };
  const platform = `${process.platform}-${process.arch}`;
  const file = files[platform];
  if (file === undefined) throw new Error(`no image is made on ${platform}`);
  return join(prebuilds, file);
}
