import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { connectOperator } from "./operator.ts";

const file = fileURLToPath(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));
/** Publishing waits for every process. */
const timeoutMs = 60_000;

/**
 * Publishes the demo catalog as the first revision, by the operator's API at `operatorAddress`, unless a
 * catalog was published before. Throws where it cannot be served.
 */
export async function publishDemoCatalog(
  operatorAddress: string,
  secrets: FleetSecrets = {},
): Promise<void> {
  const operator = connectOperator(operatorAddress, secrets);
  try {
    const { revision } = await operator.client.getCatalogStatus({});
    if (revision > 0n) return;
    const text = await readFile(file, "utf8");
    const request = { text, reason: "The demo catalog" };
    const { publication } = await operator.client.publishCatalog(request, { timeoutMs });
    const { case: kind } = publication?.result ?? {};
    // Two launchers may share a database.
    if (kind === "published" || kind === "outdated") return;
    throw new Error(`the demo catalog was not published: it is ${kind}`);
  } finally {
    operator.close();
  }
}
