/**
 * What the failure of a slot means. It decides whether the next slot is attempted, and what the failure
 * counts for:
 *
 * - `unreachable`: the request did not reach the provider.
 * - `key_or_bill`: the provider refuses the gateway's key, or wants to be paid. No slot with that key works.
 * - `rate`: the provider limits the rate of the gateway's requests.
 * - `too_large`: this request is too large or too expensive for this slot. Another slot may take it.
 * - `trouble`: the provider failed, or did not respond.
 * - `bad_request`: the provider cannot serve this request: its values, its content or its model.
 */
export type FailureMeaning =
  | "unreachable"
  | "key_or_bill"
  | "rate"
  | "too_large"
  | "trouble"
  | "bad_request";

/** The words in which a provider refuses a request: in a response of its own, or within one. */
export interface ProviderRefusal {
  /** The HTTP status of the response, or that of the error within it; undefined where it has none. */
  readonly status: number | undefined;
  /** Names in lower case. Empty for an error within a response. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON body or the event; undefined where it is not JSON. */
  readonly body: unknown;
}

/** What a kind reads in a refusal. What is undefined follows from the status and the usual headers. */
export interface ReadRefusal {
  readonly meaning?: FailureMeaning | undefined;
  /** How long the provider asks not to be called, where it says so elsewhere than in `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  /** Whether its words say that the prompt is too long for the model. */
  readonly isTooLong?: boolean;
  /** Whether its words say that a filter of contents has stopped the request. */
  readonly isFiltered?: boolean;
}
