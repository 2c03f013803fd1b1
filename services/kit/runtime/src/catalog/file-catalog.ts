import { watchCatalog } from "@tollgate/catalog/watch";
import { StartError } from "@tollgate/core/errors";
import { repeat } from "@tollgate/core/repeat";
import { CatalogSource } from "@tollgate/proto/tollgate/v1/catalog";
import type { CatalogOrigin, OriginParts } from "./catalog-origin.ts";
import { leaveCatalog } from "./leave-catalog.ts";

/** How often a process reports which version of the file it serves. */
const reportMs = 2_000;

/**
 * Opens the catalog in a file. Reports to billing, while it can be reached, which version the process serves
 * or refuses. Rejects with a StartError for a file that is not valid.
 */
export async function openCatalogFile(file: string, parts: OriginParts): Promise<CatalogOrigin> {
  const { client, identity, kinds, log, metrics } = parts;
  const watch = await watchCatalog(file, {
    kinds,
    log,
    check: parts.check,
    onChange() {
      const isRefused = watch.refusal() !== undefined;
      metrics.catalogRefused.set(isRefused ? 1 : 0);
      reports.wake();
    },
  });
  const reports = repeat(report, { everyMs: reportMs });
  metrics.catalogRefused.set(0);

  async function report(): Promise<void> {
    const refusal = watch.refusal();
    const sent = client.syncCatalog({
      ...identity,
      services: parts.services(),
      source: CatalogSource.FILE,
      textHash: watch.current().hash,
      ...(refusal && { refusal: { textHash: refusal.hash, reason: refusal.reason } }),
    });
    // The file is served without billing, too, and the next report follows soon.
    await sent.catch(() => {});
  }

  return {
    current: () => watch.current().catalog,
    isNewest: () => watch.refusal() === undefined,
    isListed: () => true,
    file: () => ({ path: file, text: watch.current().text, hash: watch.current().hash }),
    async recheck() {
      try {
        await parts.check(watch.current().catalog);
      } catch (error) {
        if (error instanceof StartError) throw new StartError(`catalog ${file}: ${error.message}`);
        throw error;
      }
    },
    async stop() {
      watch.close();
      await reports.stop();
      await leaveCatalog(client, identity);
    },
  };
}
