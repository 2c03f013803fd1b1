import { vi } from "vitest";

/** Longer than anything takes on a machine that is busy with something else. */
const patienceMs = 15_000;

/** Looks again and again until `look` no longer raises, and answers what it does. */
export function eventually<T>(
  look: () => T | Promise<T>,
  options: { timeout?: number; interval?: number } = {},
): Promise<T> {
  return vi.waitFor(look, { timeout: patienceMs, interval: 50, ...options });
}
