import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres in which each test file or stack creates its own database. */
    postgresUrl: string;
  }
}

/** Starts a temporary Postgres for a project and returns a function that stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  // Postgres runs as another user where this runs as root, and must be able to enter.
  await chmod(dataFolder, 0o711);
  const postgres = await startPostgres({ dataFolder, durable: false });
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
