import { setTimeout as sleep } from "node:timers/promises";

const timeoutMs = 90_000;
const retryPauseMs = 250;
const shownCharacters = 200;

/**
 * How a request ended.
 * - `complete`: a 2xx with its complete response
 * - `refused`: another status with its complete response
 * - `broken`: no response, one that was cut off, or a stream that reported a failure
 * - `disconnected`: the client disconnected before the response was complete
 */
export type RequestOutcome = "complete" | "refused" | "broken" | "disconnected";

export interface RequestResult {
  outcome: RequestOutcome;
  /** 0 when no status arrived. */
  status: number;
  /** Empty when no response arrived. */
  requestId: string;
  text: string;
  bytes: number;
  /** Why the request is not complete, as far as the client can tell. */
  reason?: string;
}

export interface RequestOptions {
  method?: "GET" | "POST";
  key: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  /** When the client disconnects, in milliseconds after it sent the request. */
  disconnectAfterMs?: number;
}

/** Sends one request. Never rejects. */
export async function sendRequest(url: string, options: RequestOptions): Promise<RequestResult> {
  const { method = "POST", key, body, headers, disconnectAfterMs = timeoutMs } = options;
  const signal = AbortSignal.timeout(disconnectAfterMs);
  const result = brokenResult();
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    result.status = response.status;
    result.requestId = response.headers.get("x-request-id") ?? "";
    const bytes = new Uint8Array(await response.arrayBuffer());
    result.bytes = bytes.length;
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith("audio/")) result.text = new TextDecoder().decode(bytes);
    result.outcome = outcomeOf(response.ok, type, result.text);
    if (result.outcome !== "complete") result.reason = result.text.slice(-shownCharacters);
  } catch (error) {
    result.outcome = signal.aborted ? "disconnected" : "broken";
    const { message, cause } = error as Error;
    result.reason = `${message}: ${String(cause)}`;
  }
  return result;
}

/** Returns the result of a request to which no response has arrived. */
export function brokenResult(): RequestResult {
  return { outcome: "broken", status: 0, requestId: "", text: "", bytes: 0 };
}

function outcomeOf(ok: boolean, type: string, text: string): RequestOutcome {
  if (!ok) return "refused";
  if (!type.startsWith("text/event-stream")) return "complete";
  return text.trimEnd().endsWith("data: [DONE]") ? "complete" : "broken";
}

/**
 * Retries until a response is final, as a client with an idempotency key does. Resolves with the
 * last result after `deadlineMs`.
 */
export async function retryUntilFinal(
  attempt: () => Promise<RequestResult>,
  deadlineMs: number,
): Promise<{ result: RequestResult; attempts: number; attemptsWithoutId: number }> {
  const startedAt = performance.now();
  let attemptsWithoutId = 0;
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result.requestId === "") attemptsWithoutId += 1;
    const { outcome, status } = result;
    const isFinal = outcome === "complete" || (outcome === "refused" && !isTransient(status));
    if (isFinal || performance.now() - startedAt > deadlineMs) {
      return { result, attempts, attemptsWithoutId };
    }
    await sleep(retryPauseMs);
  }
}

function isTransient(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}
