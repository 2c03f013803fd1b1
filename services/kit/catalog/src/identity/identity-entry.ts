import { z } from "zod";
import type { ProviderKind } from "../provider-kind.ts";
import type { IdentitySettings } from "./identity.ts";

/** The `identity` of a provider's entry: `default`, or members that its kind knows. */
export const identityEntry = z.union([z.literal("default"), z.record(z.string(), z.string())], {
  error: "must be default, or an object of texts",
});

type IdentityValue = z.infer<typeof identityEntry>;

/** A problem of an entry's identity, at a path within the entry. */
interface IdentityProblem {
  path: string[];
  message: string;
}

/** Returns what is wrong with the identity of a provider of a kind; undefined for nothing. */
export function identityProblem(
  entry: IdentityValue | undefined,
  { name, identity }: ProviderKind,
): IdentityProblem | undefined {
  if (entry === undefined) return undefined;
  if (identity === undefined) {
    return { path: ["identity"], message: `must not be set: the kind ${name} has keys only` };
  }
  if (entry === "default") return undefined;
  for (const [member, value] of Object.entries(entry)) {
    const path = ["identity", member];
    const setting = identity.settings[member];
    if (setting === undefined) {
      const known = Object.keys(identity.settings).join(", ");
      return { path, message: `is unknown: the kind ${name} has ${known}` };
    }
    if (!setting.pattern.test(value)) return { path, message: `must be ${setting.described}` };
    if (setting.needs !== undefined && entry[setting.needs] === undefined) {
      return { path, message: `must not be set without ${setting.needs}` };
    }
  }
  return undefined;
}

/** Returns the settings of an entry's identity; undefined where it has none. */
export function providerIdentityOf(entry: IdentityValue | undefined): IdentitySettings | undefined {
  return entry === "default" ? {} : entry;
}
