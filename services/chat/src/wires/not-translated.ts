import { type GatewayError, invalidParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";

/** Throws `invalid_param` for the first of these members that is set. */
export function refuseOthers(others: JsonObject, path: string): void {
  const name = Object.keys(others).find((one) => others[one] !== null && others[one] !== undefined);
  if (name !== undefined) throw notTranslated(path === "" ? name : `${path}.${name}`);
}

/** Returns the error of a member that only providers which speak the wire take. */
export function notTranslated(path: string): GatewayError {
  const problem =
    "is not supported by this model: its provider is sent a chat completion request, which cannot " +
    "express it";
  return invalidParam(path, problem);
}

/** Throws `invalid_param` for a tool without a name, which every function has. */
export function requireName({ name }: JsonObject, path: string): void {
  if (typeof name !== "string") throw invalidParam(`${path}.name`, "is required");
}

const usualTiers: readonly unknown[] = ["auto", "default", "standard_only"];

/** Whether a `service_tier` is the one that a chat completion has without the member. */
export function isUsualTier(tier: unknown): boolean {
  return tier === undefined || tier === null || usualTiers.includes(tier);
}
