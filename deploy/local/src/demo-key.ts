import { GatewayError } from "@tollgate/core/errors";
import { connectOperator } from "./operator.ts";

const account = "demo";
const creditNanoUsd = 10_000_000_000n;

/**
 * Makes a key of the demo account, and the account with its credit when there is none. Keys are
 * kept hashed, so each start makes a new one; those of earlier starts go on working.
 */
export async function createDemoKey(operatorAddress: string): Promise<string> {
  const operator = connectOperator(operatorAddress);
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
