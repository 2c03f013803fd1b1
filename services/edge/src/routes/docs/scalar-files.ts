import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** A file of Scalar's browser build. */
export interface ScalarFile {
  body: Buffer;
  gzipped: Buffer;
  /** The value of the `ETag` header. */
  etag: string;
}

/** The folder of Scalar's browser build. `scalar.json` pins it, and `npm start` downloads it. */
export const scalarFolder = new URL("scalar/", import.meta.url);

/** The module that the page loads, and the chunks that this module imports. */
const fileName = /^(standalone\.esm|chunks\/[\w.-]+)\.js$/;

/**
 * Returns a function that resolves with a file of a folder, undefined if there is none. A file is
 * read and compressed when it is first requested, and cached.
 */
export function createScalarFiles(folder: URL): (name: string) => Promise<ScalarFile | undefined> {
  const files = new Map<string, Promise<ScalarFile>>();
  return async (name) => {
    if (!fileName.test(name)) return undefined;
    const file = files.get(name) ?? load(new URL(name, folder));
    files.set(name, file);
    try {
      return await file;
    } catch (error) {
      files.delete(name);
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  };
}

async function load(url: URL): Promise<ScalarFile> {
  const body = await readFile(url);
  const gzipped = await promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION });
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return { body, gzipped, etag };
}
