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
  const pending = new Set<() => void>();
  return {
    wait: (timeoutMs) =>
      new Promise((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
        timer?.unref();
        function wake(): void {
          clearTimeout(timer);
          pending.delete(wake);
          resolve();
        }
        pending.add(wake);
      }),
    notify() {
      for (const wake of pending) wake();
    },
  };
}
