import { vi } from "vitest";

/** Long enough for a machine that is busy with something else. */
const timeoutMs = 15_000;

/** Calls `check` until it no longer throws, and resolves with its result. */
export function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeout?: number; interval?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 50, ...options });
}
