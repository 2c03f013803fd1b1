import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleGateway } from "@tollgate/bundle/bundle";
import { createDatabase, startPostgres } from "@tollgate/local/postgres";
import type { TestProject } from "vitest/node";
import { bundledPrograms } from "./bundled-programs.ts";
import { verifySharedBooks } from "./shared-books.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What a project needs of this setup; `gateway` includes Postgres. */
    needs: "postgres" | "gateway";
    /** "all": one process. "fleet": a process for each service, with a broker. */
    shape: "all" | "fleet";
    /** Whether the long tests run whole, or in a short form for every change. */
    form: "short" | "whole";
    /** A Postgres in which each test file or stack creates its own database. */
    postgresUrl: string;
    /** The folder of the bundled gateway and of its compile cache. */
    bundleFolder: string;
    /** The name of a database with every service's tables, to be copied. */
    migratedDatabase: string;
  }
}

/**
 * Starts what the projects of a run need, once for all of them. Returns a function that stops it,
 * after it has verified the books of the stacks that files shared.
 * For projects that need a gateway, it bundles one and migrates a database that each stack copies.
 * The bundle needs a third of the CPU that the sources need to start, and the tests start some 200
 * processes. Its folder is outside the checkout: it must not import packages from there.
 */
export async function setup(run: TestProject): Promise<() => Promise<void>> {
  const needs = run.vitest.projects.map((project) => project.getProvidedContext().needs);
  const stops: (() => Promise<void>)[] = [];
  const needsGateway = needs.includes("gateway");
  if (needsGateway || needs.includes("postgres")) stops.push(await providePostgres(run));
  if (needsGateway) stops.push(await provideGateway(run));
  return async () => {
    try {
      if (needsGateway) await verifySharedBooks(run.getProvidedContext().postgresUrl);
    } finally {
      for (const stop of stops) await stop();
    }
  };
}

async function providePostgres(run: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  // Postgres runs as another user where this runs as root, and must be able to enter.
  await chmod(dataFolder, 0o711);
  const postgres = await startPostgres({ dataFolder, durable: false });
  run.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}

async function provideGateway(run: TestProject): Promise<() => Promise<void>> {
  const bundleFolder = await mkdtemp(join(tmpdir(), "tollgate-bundle-"));
  await bundleGateway(bundleFolder);
  run.provide("bundleFolder", bundleFolder);
  const { gateway, cache } = bundledPrograms(bundleFolder);
  const name = "migrated";
  const { postgresUrl } = run.getProvidedContext();
  const env = {
    PATH: process.env.PATH,
    ...cache,
    DATABASE_URL: await createDatabase(postgresUrl, name),
    TOLLGATE_LOG: "silent",
  };
  await promisify(execFile)(process.execPath, [fileURLToPath(gateway), "--target", "migrate"], {
    env,
  });
  run.provide("migratedDatabase", name);
  return () => rm(bundleFolder, { recursive: true, force: true });
}
