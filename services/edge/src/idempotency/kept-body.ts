import type pg from "pg";
import type { RequestKey } from "./request-key.ts";

/** Of a body, so much is read at once. */
export const pieceBytes = 256 * 1024;

/** The body of an answer that is kept. */
export interface KeptBody {
  bytes: number;
  /**
   * It in its order, each piece read when it is asked for: a client that takes its time holds
   * little of it here. Raises an Error where the record goes meanwhile.
   */
  pieces(): AsyncIterable<Uint8Array>;
}

/** What of a body was read with its record. */
export interface Beginning {
  beginning: Buffer;
  /** How many the whole has. */
  bytes: number;
}

/** The body of the answer that a run left under a key. */
export function keptBody(
  pool: pg.Pool,
  { keyId, idempotencyKey }: RequestKey,
  runner: string,
  { beginning, bytes }: Beginning,
): KeptBody {
  async function read(at: number): Promise<Buffer> {
    const { rows } = await pool.query<{ piece: Buffer }>({
      name: "piece",
      text: pieceSql,
      // The first byte is the database's number 1.
      values: [keyId, idempotencyKey, runner, at + 1, pieceBytes],
    });
    const [row] = rows;
    if (row === undefined) throw new Error("the record of an answer has gone");
    return row.piece;
  }

  return {
    bytes,
    async *pieces() {
      yield beginning;
      for (let at = beginning.length; at < bytes; at += pieceBytes) yield await read(at);
    },
  };
}

const pieceSql = `
  SELECT substring(body FROM $4 FOR $5) AS piece FROM idempotency_record
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND answered_at IS NOT NULL`;
