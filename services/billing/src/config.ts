import { type Environment, integerSetting, readSettings } from "@tollgate/kit/config";
import { z } from "zod";

export interface BillingConfig {
  databaseUrl: string;
  databaseConnections: number;
}

export function readConfig(env: Environment): BillingConfig {
  const settings = readSettings(schema, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
  };
}

const schema = z.object({
  DATABASE_URL: z.string(),
  TOLLGATE_DATABASE_CONNECTIONS: integerSetting({ min: 2, max: 200, default: 10 }),
});
