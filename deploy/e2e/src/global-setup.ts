import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    shape: "all" | "fleet";
    /** A Postgres in which every suite makes databases of its own. */
    postgresUrl: string;
  }
}

/** One throw-away Postgres for a whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  // Postgres runs as another user where this runs as root, and then must be able to enter.
  await chmod(dataFolder, 0o711);
  const postgres = await startPostgres({ dataFolder, durable: false });
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
