import { setTimeout as sleep } from "node:timers/promises";
import { keySlotsOf } from "@tollgate/catalog/key-pool";
import type { Catalog } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { newId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import type { Client } from "@tollgate/rpc/implementation";
import { keyNameOf } from "@tollgate/upstream/api-key";
import type { Breakers } from "@tollgate/upstream/breaker";
import type { KeyRefusal } from "@tollgate/upstream/refused-keys";

/** How often a replica learns which slots are disabled. */
const intervalMs = 2_000;
/** How often it repeats its open breakers. The ledger forgets a report after 30 seconds. */
const repeatMs = 10_000;
const timeoutMs = 5_000;
/** What is not reported, since the ledger expects nothing else. */
const nothingOpen = JSON.stringify({ slotIds: [], refusedKeys: [] });
/** A replica starts without its ledger, too. */
const firstWaitMs = 1_000;

/** Slots as operators have them. */
export interface SlotSync {
  /** Returns whether an operator has disabled the slot with this id. */
  isDisabled(slotId: string): boolean;
  stop(): void;
}

export interface SlotSyncParts {
  slots: Client<typeof SlotService>;
  /** What they have open is reported. */
  breakers: Breakers;
  /** Those of requests that cost nothing, which are not reported. */
  freeBreakers: Breakers;
  catalog(): Catalog;
  env: Environment;
  log: Log;
}

/**
 * Learns every two seconds which slots operators have disabled, and reports the open breakers and the
 * keys that providers refuse. Breakers forget the keys that leave the catalog. While the ledger cannot be reached, the last state stays in use. Resolves after
 * the first call, or after a second.
 */
export async function syncSlots(parts: SlotSyncParts): Promise<SlotSync> {
  const { slots, breakers, freeBreakers, catalog, env, log } = parts;
  const replicaId = newId("replica");
  let disabled: ReadonlySet<string> = new Set();
  let reported = { key: nothingOpen, at: 0 };
  let isReachable = true;
  const firstRun = Promise.withResolvers<void>();

  async function sync(): Promise<void> {
    for (const one of [breakers, freeBreakers]) one.keepKeys((key) => hasKey(catalog(), key, env));
    const open = { slotIds: breakers.open(), refusedKeys: breakers.refusedKeys() };
    const key = JSON.stringify(open);
    const isAny = open.slotIds.length > 0 || open.refusedKeys.length > 0;
    const isDue = isAny && performance.now() - reported.at >= repeatMs;
    const isReport = key !== reported.key || isDue;
    const openBreakers = isReport ? { openBreakers: open } : {};
    const found = await slots.syncSlots({ replicaId, ...openBreakers }, { timeoutMs });
    disabled = new Set(found.disabledSlotIds);
    if (isReport) reported = { key, at: performance.now() };
  }

  async function run(): Promise<void> {
    try {
      await sync();
      isReachable = true;
    } catch (error) {
      const reason = (error as Error).message;
      if (isReachable) log.warn({ reason }, "reading disabled slots failed and will be retried");
      isReachable = false;
    }
    firstRun.resolve();
  }

  const repeating = repeat(run, { everyMs: intervalMs });
  repeating.wake();
  await Promise.race([firstRun.promise, sleep(firstWaitMs, undefined, { ref: false })]);
  return {
    isDisabled: (slotId) => disabled.has(slotId),
    stop: () => void repeating.stop(),
  };
}

function hasKey(
  { models }: Catalog,
  { provider: name, key }: KeyRefusal,
  env: Environment,
): boolean {
  return [...models.values()].some(({ chain }) =>
    chain.flatMap(keySlotsOf).some(({ provider }) => {
      return provider.name === name && keyNameOf(provider, env) === key;
    }),
  );
}
