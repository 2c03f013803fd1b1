import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Plugin } from "rolldown";

const base64Module = /[\\/]@prisma[\\/]client[\\/]runtime[\\/]([\w.]+)\.wasm-base64\.m?js$/;

/**
 * Puts the WebAssembly of Prisma's query compiler into a file of its own. As Prisma delivers it, in
 * a string of a module, a process would keep the string and the module's text, some 5 MiB.
 */
export function wasmFiles(): Plugin {
  return {
    name: "wasm-files",
    async load(id) {
      const [, name] = base64Module.exec(id) ?? [];
      if (name === undefined) return null;
      const [, base64] = /const wasm = "([^"]+)"/.exec(await readFile(id, "utf8")) ?? [];
      if (base64 === undefined) throw new Error(`${basename(id)}: contains no WebAssembly`);
      const fileName = `${name}.wasm`;
      this.emitFile({ type: "asset", fileName, source: Buffer.from(base64, "base64") });
      // Prisma passes `wasm` to Buffer.from, which takes the value of an object.
      return `
        import { readFileSync } from "node:fs";
        const url = new URL(${JSON.stringify(fileName)}, import.meta.url);
        export const wasm = { valueOf: () => readFileSync(url) };
      `;
    },
  };
}
