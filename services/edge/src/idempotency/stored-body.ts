import type pg from "pg";
import type { RequestKey } from "./request-key.ts";

/** How much of a body one query reads. */
export const storedChunkBytes = 256 * 1024;

/** The body of a stored response. */
export interface StoredBody {
  bytes: number;
  /**
   * Yields the body in order. Each chunk is read when it is requested, so a slow client takes
   * little memory. Throws an Error if the body is deleted meanwhile.
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The part of a body that was read with its record. */
export interface FirstChunk {
  firstChunk: Buffer;
  /** The size of the complete body. */
  bytes: number;
}

/** Returns the body of the response that a run stored under a key. */
export function storedBody(
  pool: pg.Pool,
  { keyId, idempotencyKey }: RequestKey,
  runner: string,
  { firstChunk, bytes }: FirstChunk,
): StoredBody {
  async function readAt(offset: number): Promise<Buffer> {
    const { rows } = await pool.query<{ chunk: Buffer }>({
      name: "chunk",
      text: chunkSql,
      // `substring` counts from 1.
      values: [keyId, idempotencyKey, runner, offset + 1, storedChunkBytes],
    });
    const [row] = rows;
    if (row === undefined) throw new Error("a stored response was deleted during its replay");
    return row.chunk;
  }

  return {
    bytes,
    async *chunks() {
      yield firstChunk;
      for (let offset = firstChunk.length; offset < bytes; offset += storedChunkBytes) {
        yield await readAt(offset);
      }
    },
  };
}

const chunkSql = `
  SELECT substring(body FROM $4 FOR $5) AS chunk FROM idempotency_record
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND body IS NOT NULL`;
