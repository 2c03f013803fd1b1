import type { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import type { Client } from "@tollgate/rpc/implementation";

const timeoutMs = 1_000;

/** Tells billing that a process stops, so that no publication waits for it. Never rejects. */
export async function leaveCatalog(
  client: Client<typeof CatalogService>,
  { processId }: { processId: string },
): Promise<void> {
  // Without billing, the process is forgotten after some seconds.
  await client.leaveCatalog({ processId }, { timeoutMs }).catch(() => {});
}
