// Fails when the first load of the built page is larger than the budget: index.html, and the
// scripts and styles that it loads before a screen is chosen, gzipped.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const maxBytes = 200 * 1024;
const dist = fileURLToPath(new URL("../dist/", import.meta.url));

const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, "utf8"));
const files = [...new Set(["index.html", "theme.js", ...filesOf("index.html")])];
const sizes = files.map((file) => [file, gzipSync(readFileSync(dist + file)).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

if (total > maxBytes) {
  const lines = sizes.map(([file, size]) => `  ${kilobytes(size)} ${file}`);
  process.stderr.write(
    `The first load of the console is ${kilobytes(total)} gzipped, more than ` +
      `${kilobytes(maxBytes)}:\n${lines.join("\n")}\n`,
  );
  process.exit(1);
}
process.stdout.write(`The first load of the console is ${kilobytes(total)} gzipped.\n`);

/** Returns the files of a chunk and of the chunks that it imports at once. */
function filesOf(name, seen = new Set()) {
  if (seen.has(name)) return [];
  seen.add(name);
  const { file, css = [], imports = [] } = manifest[name];
  return [file, ...css, ...imports.flatMap((imported) => filesOf(imported, seen))];
}
