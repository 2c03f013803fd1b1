import type { Catalog, Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { awsBearerToken } from "./aws-signature.ts";

/** Throws a StartError that names the first variable of a catalog's providers that is not set. */
export function requireVariables({ models }: Catalog, env: Environment): void {
  for (const { chain } of models.values()) {
    for (const { provider } of chain) requireVariablesOf(provider, env);
  }
}

function requireVariablesOf(provider: Provider, env: Environment): void {
  if (provider.kind === "bedrock" && provider.apiKeyEnv === undefined) {
    requireAwsVariables(provider, env);
  }
  for (const [field, variable] of [
    ["base_url_env", provider.baseUrlEnv],
    ["api_key_env", provider.apiKeyEnv],
  ] as const) {
    if (variable === undefined || env[variable]) continue;
    const path = `providers.${provider.name}.${field}`;
    throw new StartError(`${path}: the environment variable ${variable} is not set`);
  }
}

/** Without a key for Bedrock, requests are signed with an access key. */
function requireAwsVariables({ name }: Provider, env: Environment): void {
  if (env[awsBearerToken]) return;
  for (const variable of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
    if (env[variable]) continue;
    const problem = `the environment variable ${variable} is not set, nor is ${awsBearerToken}`;
    throw new StartError(`providers.${name}: ${problem}`);
  }
}
