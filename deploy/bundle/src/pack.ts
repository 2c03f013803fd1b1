import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { packPackage, writePackage } from "./npm-package.ts";

const [destination = ".data/package", ...rest] = process.argv.slice(2);
if (rest.length > 0) {
  process.stderr.write("usage: pack.ts [FOLDER]\n");
  process.exit(2);
}
const output = resolve(destination);
await mkdir(output, { recursive: true });
const unpacked = join(output, "tollgate");
await writePackage(unpacked);
process.stdout.write(`${await packPackage(unpacked, output)}\n`);
