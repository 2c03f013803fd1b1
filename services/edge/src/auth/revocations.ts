import type { Notices } from "@tollgate/runtime/broker/notices";

/**
 * How often the keys of open streams are looked up. A notice ends a stream at once; if it was lost,
 * the stream ends after this time and the time of the lookup.
 */
const checkIntervalMs = 2_000;
/** Billing looks up this many keys in one call. */
const maxKeysPerCall = 1_000;

/** Ends streams when their key is revoked. */
export interface Revocations {
  /**
   * Calls `onRevoked` when the key with this SHA-256, in hex, is revoked. Returns the function that
   * stops watching.
   */
  watch(keyHash: string, onRevoked: () => void): () => void;
}

/**
 * Watches the broker's notices of revoked keys. Since a notice may be lost, it also looks up the
 * watched keys by `findRevoked` every two seconds: each key once, in one call for a thousand of them,
 * and none while no key is watched. A lookup that fails ends no stream.
 */
export function watchRevocations(
  notices: Pick<Notices, "subscribe">,
  findRevoked: (keyHashes: readonly string[]) => Promise<readonly string[]>,
): Revocations {
  const listeners = new Map<string, Set<() => void>>();
  let isScheduled = false;

  function end(keyHash: string): void {
    for (const onRevoked of listeners.get(keyHash) ?? []) onRevoked();
  }

  function schedule(): void {
    if (isScheduled || listeners.size === 0) return;
    isScheduled = true;
    setTimeout(() => {
      void check().finally(() => {
        isScheduled = false;
        schedule();
      });
    }, checkIntervalMs).unref();
  }

  async function check(): Promise<void> {
    const keyHashes = [...listeners.keys()];
    for (let first = 0; first < keyHashes.length; first += maxKeysPerCall) {
      const some = keyHashes.slice(first, first + maxKeysPerCall);
      const revoked = await findRevoked(some).catch(() => []);
      revoked.forEach(end);
    }
  }

  notices.subscribe("key.changed", (keyHash) => {
    if (listeners.has(keyHash)) void check();
  });
  return {
    watch(keyHash, onRevoked) {
      const ofKey = listeners.get(keyHash) ?? new Set();
      listeners.set(keyHash, ofKey.add(onRevoked));
      schedule();
      return () => {
        ofKey.delete(onRevoked);
        if (ofKey.size === 0 && listeners.get(keyHash) === ofKey) listeners.delete(keyHash);
      };
    },
  };
}
