import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { nativeStore, nativeStoreFile } from "./native-store.ts";
import { copyScalarFiles, scalarFiles } from "./scalar-files.ts";
import { sourcePlaces } from "./source-places.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Writes the program and the operator's commands to `folder`, with all that they read: Node needs
 * nothing else to run them. Node does not strip types under a `node_modules`, and a pod that starts
 * from three files is ready sooner than one that looks for thousands.
 */
export async function bundleGateway(folder: string): Promise<void> {
  const input = {
    main: join(root, "services/tollgate/src/main.ts"),
    cli: join(root, "services/billing/src/cli/main.ts"),
  };
  await write({ input, plugins: [sourcePlaces(root), nativeStore(), scalarFiles()] }, folder);
  await cp(nativeStoreFile(), join(folder, "classic-level.node"));
  await copyScalarFiles(root, folder);
  await copyMigrations(folder);
}

/** Writes the stand-in provider and its catalog to `folder`. */
export async function bundleSimulator(folder: string): Promise<void> {
  const simulator = join(root, "deploy/simulator");
  await write({ input: { main: join(simulator, "src/main.ts") } }, folder);
  await cp(join(simulator, "demo-catalog.yaml"), join(folder, "demo-catalog.yaml"));
}

async function write(input: InputOptions, folder: string): Promise<void> {
  const bundle = await rolldown({
    platform: "node",
    // Optional parts of packages that are not installed: whoever asks for them handles their
    // absence.
    external: ["pg-native", "bufferutil", "utf-8-validate"],
    ...input,
  });
  const output: OutputOptions = {
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  };
  await bundle.write(output);
  await bundle.close();
}

/** The services find their migrations beside their sources, and so beside the bundle. */
async function copyMigrations(folder: string): Promise<void> {
  for (const service of await readdir(join(root, "services"))) {
    const migrations = join("services", service, "prisma/migrations");
    await cp(join(root, migrations), join(folder, migrations), { recursive: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
      },
    );
  }
}
