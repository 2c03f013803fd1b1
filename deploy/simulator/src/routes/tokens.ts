import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { IssuedCredentials } from "../identity/issued-credentials.ts";

/** How much later a slow token server responds. */
const slowMs = 1_500;

/**
 * The token servers of clouds: that of a container of AWS, the metadata server of Google, and the managed
 * identity of Azure. They fail as `IssuedCredentials` says.
 */
export const tokenRoutes: readonly SimulatorRoute[] = [
  tokensAt("/tokens/aws", (identities) => {
    const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = identities.createKey();
    return {
      ...{ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken },
      Expiration: new Date(expiresAtMs).toISOString(),
    };
  }),
  tokensAt("/computeMetadata/v1/instance/service-accounts/default/token", (identities) => {
    const { token, seconds } = identities.createToken();
    return { access_token: token, expires_in: seconds, token_type: "Bearer" };
  }),
  tokensAt("/tokens/azure", (identities) => {
    const { token, seconds } = identities.createToken();
    const expires_on = String(Math.floor(Date.now() / 1_000) + seconds);
    return { access_token: token, expires_on, token_type: "Bearer", resource: "azure" };
  }),
];

function tokensAt(path: string, give: (identities: IssuedCredentials) => object): SimulatorRoute {
  return {
    method: "GET",
    path,
    handle: (call) => respond(call, give),
  };
}

async function respond(
  call: SimulatorCall,
  give: (identities: IssuedCredentials) => object,
): Promise<void> {
  const { issued } = call.state;
  issued.requests += 1;
  const { fault } = issued;
  if (fault === "slow")
    await sleep(slowMs, undefined, { signal: call.disconnected }).catch(() => {});
  if (fault === "silent") {
    if (!call.disconnected.aborted) await once(call.disconnected, "abort");
    return;
  }
  const status = fault === "refused" ? 403 : fault === "unavailable" ? 500 : 200;
  const body = fault === "malformed" ? "{" : JSON.stringify(status === 200 ? give(issued) : {});
  call.response.writeHead(status, {
    "content-type": "application/json",
    "metadata-flavor": "Google",
  });
  call.response.end(body);
}
