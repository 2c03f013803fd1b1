import { type Environment, readSettings } from "@tollgate/core/config";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";

export interface BillingConfig {
  databaseUrl: string;
  databaseConnections: number;
}

/** Reads billing's settings. Throws a StartError that names an invalid one. */
export function readConfig(env: Environment): BillingConfig {
  const settings = readSettings(schema, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
  };
}

const schema = z.object(databaseSettings);
