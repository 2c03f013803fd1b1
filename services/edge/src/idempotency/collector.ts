/** A larger answer is delivered and charged, but not kept for a replay. */
const maxKeptBytes = 64 * 1024 * 1024;

/** Gathers an answer while it goes out, to keep it whole. */
export interface Collector {
  add(piece: Uint8Array): void;
  /** All of it; undefined when it is too large to keep. */
  whole(): Uint8Array | undefined;
}

export function createCollector(): Collector {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    add(piece) {
      bytes += piece.byteLength;
      if (bytes <= maxKeptBytes) pieces.push(piece);
      else pieces = [];
    },
    whole: () => (bytes <= maxKeptBytes ? Buffer.concat(pieces) : undefined),
  };
}
