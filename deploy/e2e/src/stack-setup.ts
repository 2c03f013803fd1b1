import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleGateway } from "@tollgate/bundle/bundle";
import { createDatabase } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";
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
 * stack copies. A bundle needs a third of the CPU that the sources need to start, and the tests start
 * some 200 processes. It is outside of this checkout, so that it finds no package that it does not
 * contain.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bundleFolder = await mkdtemp(join(tmpdir(), "tollgate-bundle-"));
  await bundleGateway(bundleFolder);
  project.provide("bundleFolder", bundleFolder);
  const stopPostgres = await setupPostgres(project);
  const name = "migrated";
  const { postgresUrl } = project.getProvidedContext();
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: join(bundleFolder, "compile-cache"),
    DATABASE_URL: await createDatabase(postgresUrl, name),
    TOLLGATE_LOG: "silent",
  };
  const program = join(bundleFolder, "main.mjs");
  await promisify(execFile)(process.execPath, [program, "--target", "migrate"], { env });
  project.provide("migratedDatabase", name);
  return async () => {
    await stopPostgres();
    await rm(bundleFolder, { recursive: true, force: true });
  };
}
