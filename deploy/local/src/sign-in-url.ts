import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { connectOperator } from "./operator.ts";

/**
 * Returns the link by which the first owner signs in to the console at `consoleUrl`: it works once,
 * for 15 minutes. The secret is behind the `#`, which a browser does not send to a server.
 */
export async function createSignInUrl(
  consoleUrl: string,
  operatorAddress: string,
  secrets: FleetSecrets = {},
): Promise<string> {
  const operator = connectOperator(operatorAddress, secrets);
  try {
    const { link } = await operator.client.createSignInLink({});
    return `${consoleUrl}/sign-in#${link?.secret ?? ""}`;
  } finally {
    operator.close();
  }
}
