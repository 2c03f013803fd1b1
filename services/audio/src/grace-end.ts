import type { Shutdown } from "@tollgate/runtime/service";

/**
 * Returns a signal that aborts when the grace period of a shutdown is over, right before the open
 * connections are closed. A stream that ends then was ended by the gateway, not by its client.
 */
export function graceEndOf({ signal, graceMs }: Shutdown): AbortSignal {
  const ended = new AbortController();
  const start = () => void setTimeout(() => ended.abort(), graceMs).unref();
  signal.addEventListener("abort", start, { once: true });
  return ended.signal;
}
