import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { requireSecret } from "@tollgate/core/guarded-host";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import type { ServiceName } from "./service.ts";

/** The services that need the operators' secret: they check it, or call those that do. */
const needOperators: readonly ServiceName[] = ["billing", "ledger", "console"];

/**
 * Returns the secrets that services authenticate each other with. Throws a StartError where one is
 * empty, since a secret that was meant to be set would admit every caller; where there is none and
 * `TOLLGATE_LISTEN` is an address that other machines can reach; and where one of the services `here`
 * needs the operators' secret beside the fleet's.
 */
export function readFleetSecrets(env: Environment, here: readonly ServiceName[]): FleetSecrets {
  const { TOLLGATE_FLEET_SECRET: fleet, TOLLGATE_LISTEN: listen } = env;
  const { TOLLGATE_OPERATOR_SECRET: operator } = env;
  if (fleet === "") {
    const problem = "is empty: set it, or unset it to admit any caller";
    throw new StartError(`TOLLGATE_FLEET_SECRET: ${problem}`);
  }
  if (listen && !listen.startsWith("unix:")) {
    requireSecret("TOLLGATE_LISTEN", listen.replace(/:\d+$/, ""), { secret: fleet });
  }
  if (fleet === undefined || !here.some((name) => needOperators.includes(name))) return { fleet };
  if (operator) return { fleet, operator };
  const problem = "is not set: with TOLLGATE_FLEET_SECRET, billing, ledger and console need it";
  throw new StartError(`TOLLGATE_OPERATOR_SECRET: ${problem}`);
}
