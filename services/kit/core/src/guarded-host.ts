import { StartError } from "./errors.ts";
import type { PeerAuth } from "./peer-auth.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/**
 * Throws a StartError that names the variable where other machines can reach a host at which a
 * service takes the calls of others, and there is no secret that keeps them out: such a call can
 * create accounts and money, or act for any caller.
 */
export function requireSecret(
  variable: string,
  host: string,
  { secret }: Pick<PeerAuth, "secret">,
) {
  if (secret !== undefined || loopback.test(host)) return;
  throw new StartError(
    `${variable}: ${host}, which other machines can reach, needs TOLLGATE_FLEET_SECRET`,
  );
}
