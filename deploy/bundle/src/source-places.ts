import { relative } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Keeps the place of each of our sources: in the bundle, `import.meta.url` still names the source
 * file, as if the folder of the bundle were the root of the repository. What a service reads
 * relative to itself is copied to that place.
 */
export function sourcePlaces(root: string): Plugin {
  return {
    name: "source-places",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/")) return null;
      const other = /import\.meta\.(?!url\b)\w+/.exec(code);
      if (other !== null) throw new Error(`${id}: ${other[0]} has no meaning in the bundle`);
      const place = JSON.stringify(relative(root, id));
      return code.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`);
    },
  };
}
