/** A larger response is sent and charged, but not stored for a replay. */
const maxStoredBytes = 64 * 1024 * 1024;

/** Collects the chunks of a stream, to store it as one response. */
export interface ResponseCollector {
  add(chunk: Uint8Array): void;
  /** Returns the complete body; undefined if it is too large to store. */
  body(): Uint8Array | undefined;
}

/** Creates an empty collector. */
export function createResponseCollector(): ResponseCollector {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.byteLength;
      if (bytes <= maxStoredBytes) chunks.push(chunk);
      else chunks = [];
    },
    body: () => (bytes <= maxStoredBytes ? Buffer.concat(chunks) : undefined),
  };
}
