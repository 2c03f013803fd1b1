/** A number of bytes that the requests of a process share. */
export interface SharedSpace {
  /** Adds bytes of a key, and returns true; or returns false where a limit would be exceeded. */
  take(keyId: string, bytes: number): boolean;
  /** Returns bytes that were taken. */
  give(keyId: string, bytes: number): void;
}

export interface SharedSpaceOptions {
  /** The limit for the process. */
  maxBytes: number;
  /** What one key may use even where a quarter of `maxBytes` is less: the largest request. */
  largestBytes: number;
  /** Called with the bytes in use, whenever they change. */
  onChange?(bytes: number): void;
}

/** Creates the space. One key may use a quarter of it, so that it leaves room for the others. */
export function createSharedSpace({
  maxBytes,
  largestBytes,
  onChange = () => {},
}: SharedSpaceOptions): SharedSpace {
  const maxKeyBytes = Math.max(maxBytes / 4, largestBytes);
  const byKey = new Map<string, number>();
  let total = 0;

  function add(keyId: string, ofKey: number, bytes: number): void {
    total += bytes;
    if (ofKey === 0) byKey.delete(keyId);
    else byKey.set(keyId, ofKey);
    onChange(total);
  }

  return {
    take(keyId, bytes) {
      const ofKey = (byKey.get(keyId) ?? 0) + bytes;
      if (total + bytes > maxBytes || ofKey > maxKeyBytes) return false;
      add(keyId, ofKey, bytes);
      return true;
    },
    give(keyId, bytes) {
      add(keyId, (byKey.get(keyId) ?? 0) - bytes, -bytes);
    },
  };
}
