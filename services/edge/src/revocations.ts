import type { Notices } from "@tollgate/runtime/broker/notices";

/** What goes on for long on a key, and has to end when the key is revoked. */
export interface Revocations {
  /**
   * Calls `end` when the key of that SHA-256, in hex, is revoked, unless what it answers has been
   * called before.
   */
  watch(keyHash: string, end: () => void): () => void;
}

/** Hears of revocations as they happen. One whose notice is lost is never heard of. */
export function watchRevocations(notices: Notices): Revocations {
  const watched = new Map<string, Set<() => void>>();
  notices.subscribe("key.revoked", (keyHash) => {
    for (const end of watched.get(keyHash) ?? []) end();
  });
  return {
    watch(keyHash, end) {
      const ends = watched.get(keyHash) ?? new Set();
      watched.set(keyHash, ends.add(end));
      return () => {
        ends.delete(end);
        if (ends.size === 0) watched.delete(keyHash);
      };
    },
  };
}
