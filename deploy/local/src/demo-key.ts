import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "@tollgate/core/errors";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { connectOperator } from "./operator.ts";

const account = "demo";
const creditNanoUsd = 10_000_000_000n;
const limits = { budget: { amountNanoUsd: 5_000_000_000n, period: BudgetPeriod.DAY } };
const fileName = "demo-key";

type Operator = Pick<Client<typeof OperatorService>, "createAccount" | "createKey" | "getKey">;

/** Resolves with the demo key of a gateway, by the operator's API at `operatorAddress`: see `openDemoKey`. */
export async function createDemoKey(
  operatorAddress: string,
  dataFolder: string,
  secrets: FleetSecrets = {},
): Promise<string> {
  const operator = connectOperator(operatorAddress, secrets);
  try {
    return await openDemoKey(operator.client, dataFolder);
  } finally {
    operator.close();
  }
}

/**
 * Resolves with the key of the demo account that a file of the data folder has, which only its owner can read:
 * the gateway stores the hash of a key alone. Where there is no such key, or it is revoked, creates one with a
 * limit, and the account with its credit if it does not exist.
 */
export async function openDemoKey(operator: Operator, dataFolder: string): Promise<string> {
  const file = join(dataFolder, fileName);
  const stored = await readStored(file);
  if (stored !== "" && (await works(operator, stored))) return stored;
  await operator.createAccount({ name: account, creditNanoUsd }).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== "invalid_param") throw error;
  });
  const { key } = await operator.createKey({ account, name: "demo", limits });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function readStored(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

async function works(operator: Operator, key: string): Promise<boolean> {
  try {
    const found = await operator.getKey({ keyHash: hash("sha256", key, "buffer") });
    return found.key !== undefined && found.key.revokedAt === undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "not_found") return false;
    throw error;
  }
}
