import { randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { edgeSchema } from "../src/schema.ts";

/** Opens a new database with the tables of the edge. */
export async function openEdgeDatabase(postgresUrl: string): Promise<pg.Pool> {
  return openDatabase({
    url: await createDatabase(postgresUrl, `edge_${randomUUID().replaceAll("-", "")}`),
    schema: edgeSchema,
    maxConnections: 8,
    log: createLog("silent"),
  });
}
