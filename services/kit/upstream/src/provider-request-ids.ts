import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";

/** The headers in which providers name a request; the first that is set counts. */
const headerNames = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "apim-request-id",
  "x-ms-request-id",
  "dg-request-id",
  "x-debug-trace-id",
  "mistral-correlation-id",
] as const;
const maxCharacters = 200;

/** Is told the id that a provider gave the request in progress. */
export interface RequestIdWatcher {
  nameRequest(providerRequestId: string): void;
}

/**
 * Passes the ids that providers give requests, in the headers of their responses, to those who watch the
 * gateway's ids of these requests.
 */
export class ProviderRequestIds {
  readonly #watchers = new Map<string, RequestIdWatcher>();

  watch(requestId: string, watcher: RequestIdWatcher): void {
    this.#watchers.set(requestId, watcher);
  }

  /** Ends the watch, unless another watcher has replaced this one. */
  unwatch(requestId: string, watcher: RequestIdWatcher): void {
    if (this.#watchers.get(requestId) === watcher) this.#watchers.delete(requestId);
  }

  /** Reads the headers of a response to the request with an id of the gateway's. */
  readHeaders(requestId: string | undefined, headers: ProviderRefusal["headers"]): void {
    if (requestId === undefined) return;
    const watcher = this.#watchers.get(requestId);
    if (watcher === undefined) return;
    for (const name of headerNames) {
      const id = String(headers[name] ?? "");
      // Some servers repeat the id that they were sent.
      if (id === "" || id === requestId) continue;
      watcher.nameRequest(id.slice(0, maxCharacters));
      return;
    }
  }
}
