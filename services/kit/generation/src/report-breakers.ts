import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { BreakerObserver } from "@tollgate/upstream/breaker";

/** Returns an observer that shows the breakers' state in metrics, and keys that are refused in the log. */
export function reportBreakers(log: Log, metrics: Metrics): BreakerObserver {
  return {
    slotChanged(slot, isOut) {
      metrics.slotOut.set({ slot }, isOut ? 1 : 0);
    },
    keyChanged({ provider, key, said, status }, isRefused) {
      metrics.keyRefused.set({ provider, key }, isRefused ? 1 : 0);
      if (isRefused) log.error({ provider, key, said, status }, "a provider refuses its key");
      else log.info({ provider, key }, "a provider takes its key again");
    },
  };
}
