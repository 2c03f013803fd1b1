import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { bundleGateway, bundleSimulator } from "./bundle.ts";

const [folder = "", ...rest] = process.argv.slice(2);
if (folder === "" || rest.length > 0) {
  process.stderr.write("usage: main.ts FOLDER\n");
  process.exit(2);
}
const output = resolve(folder);
await rm(output, { recursive: true, force: true });
await bundleGateway(resolve(output, "gateway"));
await bundleSimulator(resolve(output, "simulator"));
