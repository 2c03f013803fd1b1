import type { Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";

/** Returns the credentials that a provider is sent, or that its requests are signed with. */
export function secretsOf({ kind, apiKeyEnv }: Provider, env: Environment): readonly string[] {
  const { key, instead = [] } = kind.variables ?? {};
  const variables = [apiKeyEnv ?? key, ...instead].filter((name) => name !== undefined);
  return variables.map((name) => env[name] ?? "").filter((secret) => secret !== "");
}

/**
 * Returns a provider's text without credentials. Clients are sent such texts, and an error may
 * repeat the key that it refuses.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[key]"), text);
}
