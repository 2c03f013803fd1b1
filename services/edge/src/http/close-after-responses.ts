import type { Server, ServerResponse } from "node:http";

/**
 * Makes every response that starts after the signal has aborted say `Connection: close`. Clients then
 * connect to another replica, before this one stops and closes the connections that are left. Call it
 * before the server listens.
 */
export function closeAfterResponses(server: Server, leaving: AbortSignal): void {
  const pending = new Set<ServerResponse>();
  server.prependListener("request", (_req, res) => {
    if (leaving.aborted) {
      res.shouldKeepAlive = false;
      return;
    }
    pending.add(res);
    res.once("close", () => pending.delete(res));
  });
  leaving.addEventListener("abort", () => {
    for (const res of pending) res.shouldKeepAlive = false;
  });
}
