import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";

export interface LedgerConfig {
  databaseUrl: string;
  databaseConnections: number;
  /** The time after which a hold expires unless it is extended. */
  holdMs: number;
  /** How long after the end of a hold its usage event may arrive before the request counts as lost. */
  lateMs: number;
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
    lateMs: settings.TOLLGATE_HOLD_SECONDS * 1_000 * lateHolds,
    requestDays: settings.TOLLGATE_REQUEST_DAYS,
  };
}

/** A process that is replaced takes less time to send the events of its predecessor. */
const lateHolds = 3;

const schema = z.object({
  ...databaseSettings,
  TOLLGATE_HOLD_SECONDS: integerSetting({ min: 2, max: 3_600, default: 60 }),
  TOLLGATE_REQUEST_DAYS: integerSetting({ min: 1, max: 3_650, default: 30 }),
});
