import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { requireSecret } from "@tollgate/core/guarded-host";

/**
 * Returns the secret that services authenticate each other with. Throws a StartError where it is
 * empty, since a secret that was meant to be set would admit every caller, and where there is none
 * and `TOLLGATE_LISTEN` is an address that other machines can reach.
 */
export function readFleetSecret(env: Environment): string | undefined {
  const { TOLLGATE_FLEET_SECRET: secret, TOLLGATE_LISTEN: listen } = env;
  if (secret === "") {
    const problem = "is empty: set it, or unset it to admit any caller";
    throw new StartError(`TOLLGATE_FLEET_SECRET: ${problem}`);
  }
  if (listen && !listen.startsWith("unix:")) {
    requireSecret("TOLLGATE_LISTEN", listen.replace(/:\d+$/, ""), { secret });
  }
  return secret;
}
