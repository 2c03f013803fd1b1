import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";

export interface LedgerConfig {
  databaseUrl: string;
  databaseConnections: number;
  /** The time after which a hold expires unless it is extended. */
  holdMs: number;
  /** For how many days the slots that a request tried are stored. */
  requestDays: number;
}

/** Reads the ledger's settings. Throws a StartError that names an invalid one. */
export function readLedgerConfig(env: Environment): LedgerConfig {
  const settings = readSettings(schema, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
    holdMs: settings.TOLLGATE_HOLD_SECONDS * 1_000,
    requestDays: settings.TOLLGATE_REQUEST_DAYS,
  };
}

const schema = z.object({
  ...databaseSettings,
  TOLLGATE_HOLD_SECONDS: integerSetting({ min: 2, max: 3_600, default: 60 }),
  TOLLGATE_REQUEST_DAYS: integerSetting({ min: 1, max: 3_650, default: 30 }),
});
