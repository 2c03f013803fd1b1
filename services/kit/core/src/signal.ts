/** Wakes code that waits for another part of the process to change something. */
export interface Signal {
  /**
   * Resolves at the next `notify`, or after `timeoutMs`. The timer does not keep the process alive.
   * A `notify` from before the call is not remembered: check the condition first, in the same turn.
   */
  wait(timeoutMs?: number): Promise<void>;
  /** Resolves every `wait` that is pending. */
  notify(): void;
}

export function createSignal(): Signal {
  let pending: (() => void)[] = [];

  function waitFor(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        pending = pending.filter((one) => one !== wake);
        resolve();
      }, timeoutMs);
      timer.unref();
      function wake(): void {
        clearTimeout(timer);
        resolve();
      }
      pending.push(wake);
    });
  }

  return {
    wait(timeoutMs) {
      if (timeoutMs !== undefined) return waitFor(timeoutMs);
      return new Promise((resolve) => pending.push(resolve));
    },
    notify() {
      if (pending.length === 0) return;
      const woken = pending;
      pending = [];
      for (const wake of woken) wake();
    },
  };
}
