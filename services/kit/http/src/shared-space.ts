/** A number of bytes that the requests of a process share. */
export interface SharedSpace {
  /** Returns an empty reservation for one request of a key. */
  open(keyId: string): SpaceReservation;
}

/** The bytes of one request. */
export interface SpaceReservation {
  /** Adds bytes and returns true. Returns false, and adds none, where a limit would be exceeded. */
  take(bytes: number): boolean;
  /** Releases all bytes. */
  release(): void;
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

  function add(keyId: string, bytes: number): void {
    const ofKey = (byKey.get(keyId) ?? 0) + bytes;
    total += bytes;
    if (ofKey === 0) byKey.delete(keyId);
    else byKey.set(keyId, ofKey);
    onChange(total);
  }

  return {
    open(keyId) {
      let reserved = 0;
      return {
        take(bytes) {
          if (total + bytes > maxBytes) return false;
          if ((byKey.get(keyId) ?? 0) + bytes > maxKeyBytes) return false;
          reserved += bytes;
          add(keyId, bytes);
          return true;
        },
        release() {
          const bytes = reserved;
          reserved = 0;
          if (bytes > 0) add(keyId, -bytes);
        },
      };
    },
  };
}
