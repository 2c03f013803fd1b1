import { createHash } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { Catalog } from "./model.ts";
import { parseCatalog } from "./parse.ts";
import type { ProviderKinds } from "./provider-kind.ts";

/** How often the file is checked. Polling also sees the links of a mounted ConfigMap change. */
const pollMs = 500;

/** Checks a catalog. Throws a StartError, or rejects with one, to refuse it. */
export type CatalogCheck = (catalog: Catalog) => void | Promise<void>;

/** A text that is a valid catalog. */
export interface CatalogText {
  catalog: Catalog;
  text: string;
  /** The SHA-256 of the text, in hex. */
  hash: string;
}

/** A version of the file that was refused. */
export interface RefusedFile {
  /** Empty where the file cannot be read. */
  hash: string;
  reason: string;
}

export interface CatalogWatch {
  /** Returns the newest valid version. */
  current(): CatalogText;
  /** Returns the newest version if it was refused; undefined if it is in use. */
  refusal(): RefusedFile | undefined;
  close(): void;
}

export interface WatchOptions {
  kinds: ProviderKinds;
  log: Log;
  check?: CatalogCheck;
  /** Called after each version of the file, in use or refused. */
  onChange?(): void;
}

/**
 * Reads the catalog, and reads it again whenever the file changes. Throws a StartError when the file
 * is not valid at first. A later version that is not valid is logged, and the previous catalog stays
 * in use.
 */
export async function watchCatalog(
  file: string,
  { kinds, log, check = () => {}, onChange = () => {} }: WatchOptions,
): Promise<CatalogWatch> {
  const load = async (text: string): Promise<CatalogText> => {
    const catalog = parseCatalog(text, kinds);
    await check(catalog);
    return { catalog, text, hash: hashOfText(text) };
  };
  const refuseToStart = (error: unknown) => {
    throw error instanceof StartError ? new StartError(`catalog ${file}: ${error.message}`) : error;
  };
  let current = await readText(file).then(load).catch(refuseToStart);
  let seen = current.text;
  let refusal: RefusedFile | undefined;

  async function reload(): Promise<void> {
    let hash = "";
    try {
      const text = await readText(file);
      if (text === seen) return;
      seen = text;
      hash = hashOfText(text);
      if (text !== current.text) current = await load(text);
      refusal = undefined;
      log.info({ file, models: current.catalog.models.size }, "catalog reloaded");
    } catch (error) {
      // A file that cannot be read, for example while it is being replaced, counts as another version.
      if (hash === "") seen = "";
      const reason = error instanceof StartError ? error.message : String(error);
      refusal = { hash, reason };
      log.error({ file, reason }, "catalog not reloaded: the previous one stays in use");
    }
    onChange();
  }

  let reloading = Promise.resolve();
  const listener = () => {
    reloading = reloading.then(reload);
  };
  watchFile(file, { interval: pollMs, persistent: false }, listener);
  return {
    current: () => current,
    refusal: () => refusal,
    close: () => unwatchFile(file, listener),
  };
}

/** Returns the SHA-256 of a catalog's text, in hex. */
export function hashOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartError(`cannot be read (${(error as Error).message})`);
  }
}
