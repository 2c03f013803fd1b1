/** A part of stopping a process. */
export interface StopStep {
  /** What the process waits for, for the error. */
  name: string;
  run(): Promise<unknown>;
}

/**
 * Runs the steps one after the other. Rejects with the error of a step that fails, and with one that
 * names the step which is running after `timeoutMs`, so that no step keeps a process from ending.
 */
export async function runStopSteps(steps: readonly StopStep[], timeoutMs: number): Promise<void> {
  let current: string | undefined;
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = timeoutMs / 1_000;
    timeout.reject(new Error(`did not stop within ${seconds} seconds: waiting for ${current}`));
  }, timeoutMs);
  try {
    for (const { name, run } of steps) {
      current = name;
      await Promise.race([run(), timeout.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}
