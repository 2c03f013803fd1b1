import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Log } from "@tollgate/core/log";
import { z } from "zod";

/** The last revision that a process served, for a start without billing. */
export interface CatalogCopy {
  revision: bigint;
  text: string;
}

const schema = z.object({
  revision: z.string().regex(/^\d+$/).transform(BigInt),
  text: z.string(),
});

/** Resolves with the copy in a file; undefined if the file is missing or not valid. */
export async function readCatalogCopy(file: string): Promise<CatalogCopy | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Replaces the copy in a file. A failure is logged. */
export async function writeCatalogCopy(
  file: string,
  { revision, text }: CatalogCopy,
  log: Log,
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(unfinished, JSON.stringify({ revision: String(revision), text }));
    await rename(unfinished, file);
  } catch (error) {
    log.warn({ file, reason: (error as Error).message }, "copy of the catalog not written");
  }
}
