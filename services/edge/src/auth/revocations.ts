import type { Notices } from "@tollgate/runtime/broker/notices";

/** Ends long-running work when its key is revoked. */
export interface Revocations {
  /**
   * Calls `onRevoked` when the key with this SHA-256, in hex, is revoked. Returns the function that
   * stops watching.
   */
  watch(keyHash: string, onRevoked: () => void): () => void;
}

/** Watches the broker's notices of revoked keys. A notice that is lost has no effect. */
export function watchRevocations(notices: Notices): Revocations {
  const listeners = new Map<string, Set<() => void>>();
  notices.subscribe("key.revoked", (keyHash) => {
    for (const onRevoked of listeners.get(keyHash) ?? []) onRevoked();
  });
  return {
    watch(keyHash, onRevoked) {
      const ofKey = listeners.get(keyHash) ?? new Set();
      listeners.set(keyHash, ofKey.add(onRevoked));
      return () => {
        ofKey.delete(onRevoked);
        if (ofKey.size === 0) listeners.delete(keyHash);
      };
    },
  };
}
