import type { GatewayError } from "@tollgate/core/errors";
import { createIndexedSet, type Indexed, type IndexedSet } from "@tollgate/core/indexed-set";
import { repeat } from "@tollgate/core/repeat";
import type { Notices } from "@tollgate/runtime/broker/notices";

/**
 * How often the keys of open streams are looked up. A notice ends a stream at once; if it was lost,
 * or the key expires, the stream ends after this time and the time of the lookup.
 */
const checkIntervalMs = 2_000;
/** Billing looks up this many keys in one call. */
const maxKeysPerCall = 1_000;

type Listener = (error: GatewayError) => void;

/** A stream whose key is watched. */
interface Watch extends Indexed {
  readonly onEnded: Listener;
}

/** Ends streams when their key is revoked or expires. */
export interface Revocations {
  /**
   * Calls `onEnded` with an error when the key with this SHA-256, in hex, is revoked or has expired.
   * Returns the function that stops watching.
   */
  watch(keyHash: string, onEnded: Listener): () => void;
}

/**
 * Watches the notices of changed keys, and looks up by `findEnded` whether a watched key has ended.
 * Since a notice may be lost, and none is sent when a key expires, it also looks up the watched keys
 * every two seconds: each key once, in one call for a thousand of them, and none while no key is
 * watched. A lookup that fails ends no stream.
 */
export function watchRevocations(
  notices: Pick<Notices, "subscribe">,
  findEnded: (keyHashes: readonly string[]) => Promise<ReadonlyMap<string, GatewayError>>,
): Revocations {
  const watches = new Map<string, IndexedSet<Watch>>();
  const checks = repeat(() => check([...watches.keys()]), {
    everyMs: checkIntervalMs,
    isIdle: () => watches.size === 0,
  });

  async function check(keyHashes: readonly string[]): Promise<void> {
    for (let first = 0; first < keyHashes.length; first += maxKeysPerCall) {
      const some = keyHashes.slice(first, first + maxKeysPerCall);
      const ended = await findEnded(some).catch(() => new Map<string, GatewayError>());
      for (const [keyHash, error] of ended) {
        for (const { onEnded } of watches.get(keyHash)?.all() ?? []) onEnded(error);
      }
    }
  }

  notices.subscribe("key.changed", (keyHash) => {
    if (watches.has(keyHash)) void check([keyHash]);
  });
  return {
    watch(keyHash, onEnded) {
      const ofKey = watches.get(keyHash) ?? createIndexedSet();
      const watch = { onEnded, index: -1 };
      ofKey.add(watch);
      watches.set(keyHash, ofKey);
      checks.resume();
      return () => {
        ofKey.remove(watch);
        if (ofKey.size() === 0 && watches.get(keyHash) === ofKey) watches.delete(keyHash);
      };
    },
  };
}
