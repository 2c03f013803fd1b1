import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";
import { compileCache } from "./compile-cache.ts";
import { setup as setupPostgres } from "./postgres-setup.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** "all": one process. "fleet": a process for each service, with a broker. */
    shape: "all" | "fleet";
    /** The name of a database with every service's tables, to be copied. */
    migratedDatabase: string;
  }
}

// Vitest loads this file without `import.meta.resolve`.
const program = fileURLToPath(new URL("../../../services/tollgate/src/main.ts", import.meta.url));

/**
 * Starts a temporary Postgres for a project and migrates a database that each stack copies. The
 * program that migrates also writes the compile cache that the stacks' processes read.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stop = await setupPostgres(project);
  const name = "migrated";
  const { postgresUrl } = project.getProvidedContext();
  const env = {
    PATH: process.env.PATH,
    ...compileCache,
    DATABASE_URL: await createDatabase(postgresUrl, name),
    TOLLGATE_LOG: "silent",
  };
  await promisify(execFile)(process.execPath, [program, "--target", "migrate"], { env });
  project.provide("migratedDatabase", name);
  return stop;
}
