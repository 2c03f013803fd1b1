import { type Environment, integerSetting, readSettings } from "@tollgate/kit/config";
import { z } from "zod";

export interface EdgeConfig {
  port: number;
  host: string;
  catalogFile: string;
}

export function readConfig(env: Environment): EdgeConfig {
  const settings = readSettings(schema, env);
  return {
    port: settings.PORT,
    host: settings.HOST,
    catalogFile: settings.TOLLGATE_CATALOG,
  };
}

const schema = z.object({
  PORT: integerSetting({ min: 0, max: 65_535, default: 8_080 }),
  HOST: z.string().default("0.0.0.0"),
  TOLLGATE_CATALOG: z.string(),
});
