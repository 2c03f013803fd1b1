import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fontFiles, fontPath } from "@tollgate/billing/statements/fonts";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { sourceUrls } from "./source-urls.ts";
import { wasmFiles } from "./wasm-files.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const gatewayInput = {
  main: join(root, "services/program/src/main.ts"),
  cli: join(root, "services/cli/src/main.ts"),
  "tokenizer-thread": join(root, "services/chat/src/tokenizer/tokenizer-thread.ts"),
};

/**
 * Writes the gateway and the operator's CLI to `folder`, with every file that they read at run
 * time: Node needs nothing else to run them. The bundle is necessary because Node does not strip
 * types under `node_modules`, and because a pod that loads three files is ready sooner than one
 * that loads thousands.
 */
export async function bundleGateway(folder: string): Promise<void> {
  await write({ input: gatewayInput, plugins: [sourceUrls(root), wasmFiles()] }, folder);
  await copyFilesOfGateway(folder);
}

/** Writes the gateway, the CLI, the launcher of `npm start` and the simulator to `folder`. */
export async function bundleWithLauncher(folder: string): Promise<void> {
  const simulator = join(root, "deploy/simulator");
  const input = {
    ...gatewayInput,
    start: join(root, "deploy/local/src/start.ts"),
    simulator: join(simulator, "src/main.ts"),
  };
  const located = {
    "@tollgate/program/main": "main.mjs",
    "@tollgate/simulator/main": "simulator.mjs",
    "@tollgate/simulator/demo-catalog.yaml": "demo-catalog.yaml",
  };
  await write({ input, plugins: [sourceUrls(root, located), wasmFiles()] }, folder);
  await copyFilesOfGateway(folder);
  await cp(join(simulator, "demo-catalog.yaml"), join(folder, "demo-catalog.yaml"));
}

/** Writes the simulator and its catalog to `folder`. */
export async function bundleSimulator(folder: string): Promise<void> {
  const simulator = join(root, "deploy/simulator");
  await write({ input: { main: join(simulator, "src/main.ts") } }, folder);
  await cp(join(simulator, "demo-catalog.yaml"), join(folder, "demo-catalog.yaml"));
}

async function copyFilesOfGateway(folder: string): Promise<void> {
  await copyApiReference(folder);
  await copySql(folder);
  await copyConsolePage(folder);
  await copyFonts(folder);
}

async function write(input: InputOptions, folder: string): Promise<void> {
  const bundle = await rolldown({
    platform: "node",
    // Optional dependencies that are not installed. The packages that import them handle that.
    external: ["pg-native", "bufferutil", "utf-8-validate"],
    ...input,
  });
  const output: OutputOptions = {
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
    // A process keeps the text of its modules in memory.
    comments: { legal: true, annotation: false, jsdoc: false },
  };
  await bundle.write(output);
  await bundle.close();
}

/** Copies the built page of the console to where the console reads it, beside its sources. */
async function copyConsolePage(folder: string): Promise<void> {
  const path = "services/console/web/dist";
  // The manifest is for the check of the size.
  const filter = (file: string) => !file.endsWith(".vite");
  await cp(join(root, path), join(folder, path), { recursive: true, filter });
}

/** Copies the fonts of statements to where billing reads them, beside its sources. */
async function copyFonts(folder: string): Promise<void> {
  for (const file of Object.values(fontFiles)) {
    await cp(fontPath(file), join(folder, "services/billing/fonts", file));
  }
}

/** Copies the files of the API reference to where the edge reads them, beside its sources. */
async function copyApiReference(folder: string): Promise<void> {
  const path = "services/edge/src/routes/docs/scalar";
  await cp(join(root, path), join(folder, path), { recursive: true });
}

/**
 * Copies each service's migrations and functions to the place beside its sources, as it reads them.
 */
async function copySql(folder: string): Promise<void> {
  for (const service of await readdir(join(root, "services"))) {
    for (const part of ["prisma/migrations", "sql"]) {
      const path = join("services", service, part);
      await cp(join(root, path), join(folder, path), { recursive: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
        },
      );
    }
  }
}
