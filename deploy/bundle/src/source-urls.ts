import { relative } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Preserves `import.meta.url` of our source files in the bundle: it names the source file, as if
 * the bundle's folder were the root of the repository. Files that a service reads relative to its
 * source are copied to the same relative path. The script of a thread is a file of the bundle itself,
 * so that `new URL("./NAME-thread.ts", import.meta.url)` names `NAME-thread.mjs` there.
 */
export function sourceUrls(root: string): Plugin {
  return {
    name: "source-urls",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/")) return null;
      const other = /import\.meta\.(?!url\b)\w+/.exec(code);
      if (other !== null) throw new Error(`${id}: the bundle does not support ${other[0]}`);
      const path = JSON.stringify(relative(root, id));
      return code.replaceAll(url, (_, thread?: string) =>
        thread === undefined
          ? `new URL(${path}, import.meta.url).href`
          : `new URL("./${thread}.mjs", import.meta.url)`,
      );
    },
  };
}

const url = /new URL\("\.\/([\w-]+-thread)\.ts", import\.meta\.url\)|import\.meta\.url/g;
