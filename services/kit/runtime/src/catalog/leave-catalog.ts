import type { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import type { Client } from "@tollgate/rpc/implementation";

const timeoutMs = 1_000;

/**
 * Reports to billing that the process `processId` stops, so that no publication waits for it. Resolves also
 * when the report fails.
 */
export async function leaveCatalog(
  client: Client<typeof CatalogService>,
  { processId }: { processId: string },
): Promise<void> {
  // Billing forgets a process that has not reported itself for some seconds.
  await client.leaveCatalog({ processId }, { timeoutMs }).catch(() => {});
}
