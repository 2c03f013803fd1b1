import type { Catalog, Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";

/** Throws a StartError that names the first variable of a catalog's providers that is not set. */
export function requireVariables({ models }: Catalog, env: Environment): void {
  for (const { chain } of models.values()) {
    for (const { provider } of chain) requireVariablesOf(provider, env);
  }
}

function requireVariablesOf(provider: Provider, env: Environment): void {
  const { apiKeyEnv, secret, keys = [], identity } = provider;
  if ((apiKeyEnv ?? secret ?? identity) === undefined && keys.length === 0) {
    requireCredentials(provider, env);
  }
  for (const [field, variable] of [
    ["base_url_env", provider.baseUrlEnv],
    ["proxy_env", provider.proxyEnv],
    [provider.key === undefined ? "api_key_env" : "keys[0].env", apiKeyEnv],
    ...keys.map((key, index) => [`keys[${index}].env`, key.apiKeyEnv] as const),
  ] as const) {
    if (variable === undefined || env[variable]) continue;
    const path = `providers.${provider.name}.${field}`;
    throw new StartError(`${path}: the environment variable ${variable} is not set`);
  }
}

/**
 * Throws where a kind whose credentials are in variables of its own has neither a key nor all of the others.
 * Without any of them, a kind with identities is called by that of the process.
 */
function requireCredentials({ name, kind }: Provider, env: Environment): void {
  const { variables, identity } = kind;
  if (variables === undefined || env[variables.key]) return;
  const missing = variables.instead.find((variable) => !env[variable]);
  if (missing === undefined) return;
  if (identity !== undefined && variables.instead.every((variable) => !env[variable])) return;
  const problem = `the environment variable ${missing} is not set, nor is ${variables.key}`;
  throw new StartError(`providers.${name}: ${problem}`);
}
