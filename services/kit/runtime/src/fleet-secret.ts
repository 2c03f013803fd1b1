import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";

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
  if (listen) requireGuard("TOLLGATE_LISTEN", listen, secret);
  return secret;
}

/** `unix:PATH`, or a loopback address with a port. */
const onThisMachine = /^(unix:.*|(localhost|127(\.\d{1,3}){3}|\[::1\]):\d+)$/;

/**
 * Throws a StartError where other machines can reach an address at which services take each other's
 * calls, and there is no secret that keeps them out: such a call can create accounts and money.
 */
export function requireGuard(variable: string, address: string, secret: string | undefined): void {
  if (secret !== undefined || onThisMachine.test(address)) return;
  throw new StartError(
    `${variable}: ${address}, which other machines can reach, needs TOLLGATE_FLEET_SECRET`,
  );
}
