import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Where the fonts are beside the bundle. */
const bundled = fileURLToPath(new URL("../../fonts/", import.meta.url));

/** The fonts of PDFs: they have Latin, Greek and Cyrillic letters. */
export const fontFiles = { regular: "DejaVuSans.ttf", bold: "DejaVuSans-Bold.ttf" } as const;

/** Returns the path of a font: beside the bundle, or in its package. */
export function fontPath(name: string): string {
  const file = `${bundled}${name}`;
  if (existsSync(file)) return file;
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`);
}
