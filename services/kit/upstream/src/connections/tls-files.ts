import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Catalog, TlsFiles } from "@tollgate/catalog/model";
import { StartError } from "@tollgate/core/errors";

/** The contents of a provider's PEM files. */
export interface TlsTexts {
  ca?: string;
  cert?: string;
  key?: string;
}

const members = ["ca", "cert", "key"] as const;

/** Reads PEM files. Throws the error of the file system, which names the file. */
export function readTlsFiles(files: TlsFiles): TlsTexts {
  const texts: TlsTexts = {};
  for (const member of members) {
    const path = files[member];
    if (path !== undefined) texts[member] = readFileSync(path, "utf8");
  }
  return texts;
}

export function sameTls(left: TlsTexts, right: TlsTexts): boolean {
  return members.every((member) => left[member] === right[member]);
}

/** Throws a StartError that names the first provider of a model whose PEM files cannot be used. */
export function requireTlsFiles({ models }: Catalog): void {
  for (const { chain } of models.values()) {
    for (const { provider } of chain) {
      if (provider.tls !== undefined) checkFiles(`providers.${provider.name}.tls`, provider.tls);
    }
  }
}

function checkFiles(path: string, files: TlsFiles): void {
  try {
    createSecureContext(readTlsFiles(files));
  } catch (error) {
    // OpenSSL and the file system say what is wrong, and nothing of the contents.
    throw new StartError(`${path}: cannot be used: ${(error as Error).message}`);
  }
}
