import type { IncomingMessage } from "node:http";

/** Reads a request's whole body; undefined when it is larger than `limitBytes`. */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    request.on("data", (piece: Buffer) => {
      sizeBytes += piece.length;
      if (sizeBytes <= limitBytes) pieces.push(piece);
    });
    request.once("end", () => {
      const [first] = pieces;
      if (sizeBytes > limitBytes) resolve(undefined);
      else resolve(pieces.length === 1 && first ? first : Buffer.concat(pieces));
    });
    request.once("error", reject);
  });
}
