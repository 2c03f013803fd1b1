import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { readOptionalSecretsKey, type SecretsKey } from "@tollgate/core/secrets-key";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";
import type { AdmissionName } from "./admission.ts";
import { readContentKey } from "./contents/content-key.ts";
import { type FactorPolicy, factorPolicyOf, factorSettings } from "./identity/factor-policy.ts";
import { safeCost } from "./identity/passwords.ts";
import { paymentSettings, type StripeSettings, stripeSettingsOf } from "./payments/settings.ts";

export interface BillingConfig {
  databaseUrl: string;
  databaseConnections: number;
  /** The policy of accounts that have none. */
  admission: AdmissionName;
  /** Undefined where it is not set: then no secret can be stored. */
  secretsKey: SecretsKey | undefined;
  /** Undefined where it is not set: then no prompt and no response can be stored. */
  contentKey: SecretsKey | undefined;
  /** The most that is stored of the prompts and responses of one account. */
  contentBytes: number;
  /** Undefined where nothing is paid by card. */
  stripe: StripeSettings | undefined;
  /** Who issues statements: the lines of a name, an address and a tax id. Undefined: none are issued. */
  statementIssuer: readonly string[] | undefined;
  /** For how many days the records of refused requests are stored. */
  refusalDays: number;
  factorPolicy: FactorPolicy;
  /** Of the hashes of new passwords: see createPasswords. */
  passwordCost: number;
}

/** Reads billing's settings. Throws a StartError that names an invalid one. */
export function readBillingConfig(env: Environment): BillingConfig {
  const settings = readSettings(schema, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
    admission: settings.TOLLGATE_ADMISSION,
    secretsKey: readOptionalSecretsKey(env),
    contentKey: readContentKey(env),
    contentBytes: settings.TOLLGATE_CONTENT_MIB * 1024 * 1024,
    stripe: stripeSettingsOf(settings),
    statementIssuer: settings.TOLLGATE_STATEMENT_ISSUER?.split(/\n|\\n/).filter(Boolean),
    refusalDays: settings.TOLLGATE_REFUSAL_DAYS,
    factorPolicy: factorPolicyOf(settings),
    passwordCost: passwordCostOf(settings),
  };
}

/** Throws a StartError for a cost that is not safe, unless the process says that it is a test. */
function passwordCostOf(settings: z.output<typeof schema>): number {
  const { TOLLGATE_PASSWORD_COST: cost, NODE_ENV } = settings;
  if (cost >= safeCost || NODE_ENV === "test") return cost;
  throw new StartError(
    `TOLLGATE_PASSWORD_COST: must be at least ${safeCost}, except with NODE_ENV=test`,
  );
}

const schema = z.object({
  ...databaseSettings,
  TOLLGATE_ADMISSION: z.enum(["likely", "strict", "whole"]).default("likely"),
  ...paymentSettings,
  ...factorSettings,
  TOLLGATE_STATEMENT_ISSUER: z.string().max(2_000).optional(),
  TOLLGATE_REFUSAL_DAYS: integerSetting({ min: 1, max: 365, default: 7 }),
  TOLLGATE_CONTENT_MIB: integerSetting({ min: 1, max: 1_048_576, default: 256 }),
  TOLLGATE_PASSWORD_COST: integerSetting({ min: 1, max: 18, default: safeCost }),
  NODE_ENV: z.string().optional(),
});
