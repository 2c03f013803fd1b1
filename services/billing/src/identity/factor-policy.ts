import { StartError } from "@tollgate/core/errors";
import { z } from "zod";
import type { LiveSession } from "./sessions.ts";

/** Who must have a second factor. */
export type FactorPolicy = "off" | "operators" | "everybody";

/** The variables about who must have a second factor, for the settings of billing. */
export const factorSettings = {
  TOLLGATE_REQUIRE_TOTP: z.enum(["off", "operators", "everybody"]).default("off"),
  TOLLGATE_IDENTITY_KEY: z.string().optional(),
};

/** Returns who must have a second factor. Throws a StartError where none can be set up. */
export function factorPolicyOf(
  variables: z.output<z.ZodObject<typeof factorSettings>>,
): FactorPolicy {
  const { TOLLGATE_REQUIRE_TOTP: policy, TOLLGATE_IDENTITY_KEY: key } = variables;
  if (policy === "off" || key !== undefined) return policy;
  throw new StartError("TOLLGATE_IDENTITY_KEY: is not set, which TOLLGATE_REQUIRE_TOTP needs");
}

/**
 * Returns whether the person of a session must set up a second factor before any other call. Nobody must after a
 * sign-in by an OpenID provider: the provider decides how many factors it asks for.
 */
export function mustSetUpFactor({ operator, method }: LiveSession, policy: FactorPolicy): boolean {
  if (policy === "off" || method === "provider") return false;
  if (policy === "operators" && operator.role === "customer") return false;
  return (operator.secondFactor?.enabledAt ?? null) === null;
}
