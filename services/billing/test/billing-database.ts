import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { inject } from "vitest";
import { PrismaClient } from "../src/generated/client.ts";
import { billingSchema } from "../src/schema.ts";

/** A database of its own with the tables of billing. */
export interface BillingDatabase {
  pool: pg.Pool;
  prisma: PrismaClient;
  /** Closes its connections. */
  stop(): Promise<void>;
}

/** Creates a database with empty tables, and resolves once it is open. */
export async function openBillingDatabase(maxConnections = 4): Promise<BillingDatabase> {
  const name = `billing_${randomUUID().replaceAll("-", "")}`;
  const pool = await openDatabase({
    url: await createDatabase(inject("postgresUrl"), name),
    schema: billingSchema,
    maxConnections,
    log: createLog("silent"),
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "billing" }) });
  return {
    pool,
    prisma,
    async stop() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
