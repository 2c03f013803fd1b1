import pg from "pg";
import { describe, expect, test } from "vitest";
import { byName, columnsOfSchema, type SchemaColumn } from "../src/schema-columns.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack } = await sharedStack();

describe("the migrated database", () => {
  test.each([
    "billing",
    "chat",
    "document",
    "edge",
    "ledger",
  ])("matches the schema.prisma of %s", async (service) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    const { rows } = await client.query<SchemaColumn>(
      `SELECT table_name AS table, column_name AS column, data_type AS type,
         is_nullable = 'YES' AS nullable
       FROM information_schema.columns
       WHERE table_schema = $1 AND table_name NOT IN ('_prisma_migrations', '_sql_functions')
         AND NOT (SELECT relispartition FROM pg_class
           WHERE oid = format('%I.%I', table_schema, table_name)::regclass)`,
      [service],
    );
    await client.end();
    const schema = new URL(`../../../services/${service}/prisma/schema.prisma`, import.meta.url);
    expect(rows.sort(byName)).toEqual(await columnsOfSchema(schema));
  });
});
