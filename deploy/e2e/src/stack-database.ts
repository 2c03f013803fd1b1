import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface StackDatabase {
  url: string;
  /** Closes the database and its connections. Returns a function that opens it again. */
  close(): Promise<() => Promise<void>>;
}

/** Creates a database with every service's tables, whose name starts with `prefix`. */
export async function createStackDatabase(prefix: string): Promise<StackDatabase> {
  const name = `${prefix}${randomUUID().replaceAll("-", "")}`;
  await run(`CREATE DATABASE "${name}" TEMPLATE "${inject("migratedDatabase")}"`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    async close() {
      await run(
        `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      return () => run(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    },
  };
}

async function run(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
