import { relative } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Preserves `import.meta.url` of our source files in the bundle: it names the source file, as if
 * the bundle's folder were the root of the repository. Files that a service reads relative to its
 * source are copied to the same relative path. The script of a thread is a file of the bundle itself,
 * so that `new URL("./NAME-thread.ts", import.meta.url)` names `NAME-thread.mjs` there.
 *
 * `resolved` has the file of the bundle for each specifier that a source file resolves by
 * `import.meta.resolve`. Throws for any other specifier, and for other uses of `import.meta`.
 */
export function sourceUrls(root: string, resolved: Readonly<Record<string, string>> = {}): Plugin {
  return {
    name: "source-urls",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/")) return null;
      const replaced = code.replaceAll(pattern, (found, thread?: string, specifier = "") => {
        if (thread !== undefined) return urlOf(`./${thread}.mjs`);
        if (found === "import.meta.url") return `${urlOf(relative(root, id))}.href`;
        return specifier in resolved ? `${urlOf(`./${resolved[specifier]}`)}.href` : found;
      });
      const other = /import\.meta\.(?!url\b)\w+/.exec(replaced);
      if (other !== null) throw new Error(`${id}: the bundle does not support ${other[0]}`);
      return replaced;
    },
  };
}

const pattern =
  /new URL\("\.\/([\w-]+-thread)\.ts", import\.meta\.url\)|import\.meta\.resolve\("([^"]+)"\)|import\.meta\.url/g;

function urlOf(path: string): string {
  return `new URL(${JSON.stringify(path)}, import.meta.url)`;
}
