import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleGateway } from "@tollgate/bundle/bundle";
import { createDatabase } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";
import { bundledPrograms } from "./bundled-programs.ts";
import { setup as setupPostgres } from "./postgres-setup.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** "all": one process. "fleet": a process for each service, with a broker. */
    shape: "all" | "fleet";
    /** The folder of the bundled gateway and of its compile cache. */
    bundleFolder: string;
    /** The name of a database with every service's tables, to be copied. */
    migratedDatabase: string;
  }
}

/**
 * Bundles the gateway, starts a temporary Postgres for a project, and migrates a database that each
 * stack copies. The bundle needs a third of the CPU that the sources need to start, and the tests start
 * some 200 processes. Its folder is outside the checkout: it must not import packages from there.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bundleFolder = await mkdtemp(join(tmpdir(), "tollgate-bundle-"));
  await bundleGateway(bundleFolder);
  project.provide("bundleFolder", bundleFolder);
  const { gateway, cache } = bundledPrograms(bundleFolder);
  const stopPostgres = await setupPostgres(project);
  const name = "migrated";
  const { postgresUrl } = project.getProvidedContext();
  const env = {
    PATH: process.env.PATH,
    ...cache,
    DATABASE_URL: await createDatabase(postgresUrl, name),
    TOLLGATE_LOG: "silent",
  };
  await promisify(execFile)(process.execPath, [fileURLToPath(gateway), "--target", "migrate"], {
    env,
  });
  project.provide("migratedDatabase", name);
  return async () => {
    await stopPostgres();
    await rm(bundleFolder, { recursive: true, force: true });
  };
}
