import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";

export interface EdgeConfig {
  port: number;
  host: string;
  catalogFile: string;
  databaseUrl: string;
  databaseConnections: number;
}

/** Reads the edge's settings. Throws a StartError that names an invalid one. */
export function readConfig(env: Environment): EdgeConfig {
  const settings = readSettings(schema, env);
  return {
    port: settings.PORT,
    host: settings.HOST,
    catalogFile: settings.TOLLGATE_CATALOG,
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
  };
}

const schema = z.object({
  PORT: integerSetting({ min: 0, max: 65_535, default: 8_080 }),
  HOST: z.string().default("0.0.0.0"),
  TOLLGATE_CATALOG: z.string(),
  ...databaseSettings,
});
