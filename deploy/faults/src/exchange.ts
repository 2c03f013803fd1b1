import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 90_000;
const shownCharacters = 200;

/**
 * One request and how it ended.
 * - `whole`: a 2xx, and the whole answer
 * - `refused`: another status, and the whole answer
 * - `broken`: no answer, or an answer that stopped in the middle or told of a failure
 * - `left`: the client left before the answer was whole
 */
export interface Exchange {
  ended: "whole" | "refused" | "broken" | "left";
  /** 0 when no status came. */
  status: number;
  /** Empty when no answer came. */
  requestId: string;
  text: string;
  bytes: number;
  /** What ended one that is not whole, as far as the client can tell. */
  why?: string;
}

export interface Order {
  method?: "GET" | "POST";
  key: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  /** The client leaves so long after it asked. */
  leaveAfterMs?: number;
}

/** Sends one request, and never raises. */
export async function exchange(url: string, order: Order): Promise<Exchange> {
  const { method = "POST", key, body, headers, leaveAfterMs = patienceMs } = order;
  const leaving = AbortSignal.timeout(leaveAfterMs);
  const seen: Exchange = { ended: "broken", status: 0, requestId: "", text: "", bytes: 0 };
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
      signal: leaving,
    });
    seen.status = response.status;
    seen.requestId = response.headers.get("x-request-id") ?? "";
    const bytes = new Uint8Array(await response.arrayBuffer());
    seen.bytes = bytes.length;
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith("audio/")) seen.text = new TextDecoder().decode(bytes);
    seen.ended = endOf(response.ok, type, seen.text);
    if (seen.ended !== "whole") seen.why = seen.text.slice(-shownCharacters);
  } catch (error) {
    seen.ended = leaving.aborted ? "left" : "broken";
    const { message, cause } = error as Error;
    seen.why = `${message}: ${String(cause)}`;
  }
  return seen;
}

function endOf(ok: boolean, type: string, text: string): Exchange["ended"] {
  if (!ok) return "refused";
  if (!type.startsWith("text/event-stream")) return "whole";
  return text.trimEnd().endsWith("data: [DONE]") ? "whole" : "broken";
}

/**
 * Asks until there is an answer that another attempt would not change, as a client does that has an
 * idempotency key, or gives up after `deadlineMs`.
 */
export async function persist(
  attempt: () => Promise<Exchange>,
  deadlineMs: number,
): Promise<{ exchange: Exchange; attempts: number; nameless: number }> {
  const startedAt = performance.now();
  let nameless = 0;
  for (let attempts = 1; ; attempts += 1) {
    const one = await attempt();
    if (one.requestId === "") nameless += 1;
    const isFinal = one.ended === "whole" || (one.ended === "refused" && !isPassing(one.status));
    if (isFinal || performance.now() - startedAt > deadlineMs)
      return { exchange: one, attempts, nameless };
    await sleep(250);
  }
}

function isPassing(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}
