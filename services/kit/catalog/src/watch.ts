import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { Catalog } from "./model.ts";
import { parseCatalog } from "./parse.ts";
import type { ProviderKinds } from "./provider-kind.ts";

/** How often the file is checked. Polling also sees the links of a mounted ConfigMap change. */
const pollMs = 500;

export interface CatalogWatch {
  /** Returns the newest valid catalog. Call it for each request. */
  current(): Catalog;
  close(): void;
}

/**
 * Reads the catalog, and reads it again whenever the file changes. Throws a StartError when the file
 * is not valid at first. A later version that is not valid is logged, and the previous catalog stays
 * in use. `check` may throw a StartError to refuse a catalog.
 */
export async function watchCatalog(
  file: string,
  kinds: ProviderKinds,
  log: Log,
  check: (catalog: Catalog) => void = () => {},
): Promise<CatalogWatch> {
  const load = (text: string) => loadCatalog(file, text, kinds, check);
  let text = await readCatalogText(file);
  let catalog = load(text);

  async function reload(): Promise<void> {
    try {
      const newText = await readCatalogText(file);
      if (newText === text) return;
      text = newText;
      catalog = load(newText);
      log.info({ file, models: catalog.models.size }, "catalog reloaded");
    } catch (error) {
      const reason = error instanceof StartError ? error.message : String(error);
      log.error({ file, reason }, "catalog not reloaded: the previous one stays in use");
    }
  }

  const listener = () => void reload();
  watchFile(file, { interval: pollMs, persistent: false }, listener);
  return { current: () => catalog, close: () => unwatchFile(file, listener) };
}

function loadCatalog(
  file: string,
  text: string,
  kinds: ProviderKinds,
  check: (catalog: Catalog) => void,
): Catalog {
  try {
    const catalog = parseCatalog(text, kinds);
    check(catalog);
    return catalog;
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`catalog ${file}: ${error.message}`);
    throw error;
  }
}

async function readCatalogText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartError(`catalog ${file}: cannot be read (${(error as Error).message})`);
  }
}
