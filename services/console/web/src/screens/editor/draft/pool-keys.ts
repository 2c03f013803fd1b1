import { type DraftEntry, toEntry } from "./document.ts";
import { fieldText } from "./model-chain.ts";

/** A key of a provider's pool, as its form has it. */
export interface PoolKey {
  /** Which field of the catalog names it. */
  field: "secret" | "env";
  name: string;
  /** As it was typed. Empty: the default. */
  weight: string;
}

/** Returns the keys of a provider: those of its pool, or the one that it has; an empty one where it has none. */
export function poolKeysOf({ keys, secret, api_key_env }: DraftEntry): PoolKey[] {
  if (Array.isArray(keys)) {
    return keys.map(toEntry).map(({ secret: stored, env, weight }) => ({
      field: stored === undefined && env !== undefined ? "env" : "secret",
      name: fieldText(stored ?? env),
      weight: fieldText(weight),
    }));
  }
  if (secret === undefined && api_key_env !== undefined) {
    return [{ field: "env", name: fieldText(api_key_env), weight: "" }];
  }
  return [{ field: "secret", name: fieldText(secret), weight: "" }];
}

/** Returns the keys as the catalog has them. */
export function poolEntriesOf(keys: readonly PoolKey[]): DraftEntry[] {
  return keys.map(({ field, name, weight }) => ({
    [field]: name.trim(),
    ...(weight === "" ? {} : { weight: Number(weight) }),
  }));
}
