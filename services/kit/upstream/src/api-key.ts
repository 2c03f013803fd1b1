import type { Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { SlotFailure } from "./failure.ts";
import { describeIdentity, usesIdentity } from "./identities/provider-identity.ts";
import type { SecretValues } from "./secret-values.ts";

/**
 * Returns the API key of a provider as it is now; undefined where it has none. Throws a SlotFailure where
 * its secret has no value: calls would be sent without a key.
 */
export function apiKeyOf(
  { secret, kind, apiKeyEnv, identity }: Provider,
  env: Environment,
  secrets: SecretValues,
): string | undefined {
  if (identity !== undefined) return undefined;
  if (secret === undefined) {
    const variable = apiKeyEnv ?? kind.variables?.key;
    return variable === undefined ? undefined : env[variable] || undefined;
  }
  const value = secrets.current(secret);
  if (value !== undefined) return value;
  throw new SlotFailure("unreachable", "the provider's key has no value", {
    meaning: "key_or_bill",
    said: secrets.problemOf(secret),
  });
}

/** Returns the name of the secret or variable of a provider's key, or its identity; empty if it has none. */
export function keyNameOf(provider: Provider, env: Environment): string {
  const { secret, apiKeyEnv, kind, identity = {} } = provider;
  if (usesIdentity(provider, env)) return describeIdentity(identity);
  return secret ?? apiKeyEnv ?? kind.variables?.key ?? "";
}

/** Returns the keys that a provider is sent, or that its requests are signed with. */
export function credentialsOf(
  { kind, apiKeyEnv, secret }: Provider,
  env: Environment,
  secrets: SecretValues,
): readonly string[] {
  if (secret !== undefined) return secrets.recent(secret);
  const { key, instead = [] } = kind.variables ?? {};
  const variables = [apiKeyEnv ?? key, ...instead].filter((name) => name !== undefined);
  return variables.map((name) => env[name] ?? "").filter((value) => value !== "");
}
