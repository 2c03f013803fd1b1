import type { IdentitySettings } from "@tollgate/catalog/identity";
import type { Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";

/** Whether a provider is called by an identity of the cloud, and not by a key. */
export function usesIdentity(provider: Provider, env: Environment): boolean {
  const { identity, kind } = provider;
  if (identity !== undefined) return true;
  return !hasKey(provider) && kind.identity?.isDefault(env) === true;
}

/** Returns an identity for operators, with its settings: `identity role_arn=…`. */
export function describeIdentity(settings: IdentitySettings): string {
  const set = Object.entries(settings).map(([member, value]) => `${member}=${value}`);
  return ["identity", ...set].join(" ");
}

function hasKey({ apiKeyEnv, secret, keys }: Provider): boolean {
  return apiKeyEnv !== undefined || secret !== undefined || keys !== undefined;
}
