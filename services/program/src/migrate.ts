import { billingSchema } from "@tollgate/billing/schema";
import { chatSchema } from "@tollgate/chat/database/schema";
import { type Environment, readSettings } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import { documentSchema } from "@tollgate/document/schema";
import { edgeSchema } from "@tollgate/edge/schema";
import { ledgerSchema } from "@tollgate/ledger/schema";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { z } from "zod";

const schemas = [ledgerSchema, billingSchema, chatSchema, documentSchema, edgeSchema];

/**
 * Applies the migrations and functions of every service, also functions that were replaced. Throws
 * a StartError when one cannot be applied.
 */
export async function migrateAll(env: Environment, log: Log): Promise<void> {
  const { DATABASE_URL: url } = readSettings(settings, env);
  for (const schema of schemas) {
    const pool = await openDatabase({
      url,
      schema,
      maxConnections: 1,
      log,
      restoresFunctions: true,
    });
    await pool.end();
  }
}

const settings = z.object({ DATABASE_URL: z.string() });
