const intervalMs = 1_000;

/** Calls `check` once a second until it returns true. Returns false after `seconds`. */
export async function becomesTrue(
  seconds: number,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const until = performance.now() + seconds * 1_000;
  while (!(await check())) {
    if (performance.now() > until) return false;
    await sleep(intervalMs);
  }
  return true;
}

/**
 * Calls `action` once a second until it resolves. Throws after `seconds`, with the reason of the
 * last failure.
 */
export async function retry<T>(
  what: string,
  seconds: number,
  action: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (performance.now() > until) throw new Error(`${what}: not within ${seconds} s: ${reason}`);
    }
    await sleep(intervalMs);
  }
}

/** Resolves after `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
