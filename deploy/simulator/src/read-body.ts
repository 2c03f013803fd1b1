import type { IncomingMessage } from "node:http";

/** Twice the gateway's own limit, so that a test reaches the gateway's limit first. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads the complete request body. Resolves with undefined when it exceeds the limit. */
export function readRequestBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
    });
    request.once("end", () => {
      const [first] = chunks;
      if (sizeBytes > BODY_LIMIT_BYTES) resolve(undefined);
      else resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    });
    request.once("error", reject);
  });
}
