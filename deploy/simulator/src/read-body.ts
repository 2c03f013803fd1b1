import type { IncomingMessage } from "node:http";

/** Twice what the gateway takes, so that its own limit is the one that is met. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads a request's whole body; undefined when it is larger than the limit. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    request.on("data", (piece: Buffer) => {
      sizeBytes += piece.length;
      if (sizeBytes <= BODY_LIMIT_BYTES) pieces.push(piece);
    });
    request.once("end", () => {
      const [first] = pieces;
      if (sizeBytes > BODY_LIMIT_BYTES) resolve(undefined);
      else resolve(pieces.length === 1 && first ? first : Buffer.concat(pieces));
    });
    request.once("error", reject);
  });
}
