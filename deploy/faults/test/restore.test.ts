import { describe, expect, inject, test } from "vitest";
import { findPostgresPrograms, type PostgresPrograms } from "../src/postgres-programs.ts";
import { startArchivingDatabase, startDumpedDatabase } from "../src/restorable-databases.ts";
import { restoreEarlier } from "../src/restore.ts";

const isShort = inject("form") === "short";
const programs = isShort ? undefined : await findPostgresPrograms();
const name = "a database that is lost under load, and restored as of an earlier moment";

if (programs === undefined) {
  describe.skip(`${name}: needs Python, which installs pg_dump`, () => {});
} else describe(name, () => tests(programs));

function tests(found: PostgresPrograms): void {
  test.each([
    ["by pg_dump and pg_restore", startDumpedDatabase],
    ["by pg_basebackup and its archive", startArchivingDatabase],
  ])(
    "%s, has each charge once: those since are in the stream and the spools",
    {
      timeout: 600_000,
    },
    async (_, start) => {
      const { violations, credited, walletErrorNanoUsd } = await restoreEarlier(start, found);
      expect(violations).toEqual([]);
      expect(credited).toEqual({ before: false, after: true });
      expect(walletErrorNanoUsd).toBe(0n);
    },
  );
}
