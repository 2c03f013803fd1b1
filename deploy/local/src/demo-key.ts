import { GatewayError } from "@tollgate/core/errors";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { connectOperator } from "./operator.ts";

const account = "demo";
const creditNanoUsd = 10_000_000_000n;

/**
 * Creates a key for the demo account, by the operator's API at `operatorAddress`. Creates the account with its credit if it does not exist.
 * Only hashes of keys are stored, so each start creates a new key; earlier keys stay valid.
 */
export async function createDemoKey(
  operatorAddress: string,
  secrets: FleetSecrets = {},
): Promise<string> {
  const operator = connectOperator(operatorAddress, secrets);
  try {
    await operator.client
      .createAccount({ name: account, creditNanoUsd })
      .catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== "invalid_param") throw error;
      });
    const { key } = await operator.client.createKey({ account });
    return key;
  } finally {
    operator.close();
  }
}
