import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CallCounter } from "./call-counter.ts";
import type { CallLog } from "./call-log.ts";
import type { IssuedCredentials } from "./identity/issued-credentials.ts";
import type { BatchJobs } from "./mistral/batch-jobs.ts";
import type { Replies } from "./replies.ts";

/** The state that all calls to one simulator share. */
export interface SimulatorState {
  readonly calls: CallLog;
  readonly callCounter: CallCounter;
  readonly batchJobs: BatchJobs;
  readonly replies: Replies;
  readonly issued: IssuedCredentials;
  /** Aborts when the pending calls are released: see `Simulator.release`. */
  released(): AbortSignal;
  nowMs(): number;
}

/** One HTTP call as the routes see it. */
export interface SimulatorCall {
  readonly state: SimulatorState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the prefix `/as/NAME`, by which one simulator has several base URLs. */
  readonly path: string;
  /** The query string without its `?`; empty when there is none. */
  readonly search: string;
  /** Aborts when the connection closes before the response is complete. */
  readonly disconnected: AbortSignal;
  /** Aborts when the call is released: from then on it never pauses. */
  readonly released: AbortSignal;
}

/** One path with one method. `handle` writes the complete response. */
export interface SimulatorRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** A segment of `*`, the last or the one before it, matches any one segment. */
  readonly path: string;
  handle(call: SimulatorCall): Promise<void> | void;
}

export function openCall(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): SimulatorCall {
  const disconnect = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) disconnect.abort();
  });
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = (mark < 0 ? url : url.slice(0, mark)).replace(/^\/as\/[^/]+/, "");
  const search = mark < 0 ? "" : url.slice(mark + 1);
  const disconnected = disconnect.signal;
  return { state, request, response, path, search, disconnected, released: state.released() };
}

/** Returns whether the call carries a key. The key itself is never recorded. */
export function isAuthorized({ headers }: IncomingMessage): boolean {
  const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["xi-api-key"];
  return Boolean(key) || /^(?:Bearer|Token|AWS4-HMAC-SHA256) \S/i.test(headers.authorization ?? "");
}

/** Reads the caller's request id and its W3C trace context from the headers. */
export function correlationIds({ headers }: IncomingMessage) {
  return {
    requestId: headers["x-client-request-id"]?.toString() ?? null,
    traceparent: headers.traceparent?.toString() ?? null,
  };
}

/** Returns the headers that only Anthropic's API has. */
export function vendorHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = ["anthropic-version", "anthropic-beta"];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/**
 * Waits for `ms` milliseconds, or until the call is released. Rejects at once when the client
 * disconnects.
 */
export async function pause({ disconnected, released }: SimulatorCall, ms: number): Promise<void> {
  try {
    await delay(ms, undefined, { signal: AbortSignal.any([disconnected, released]) });
  } catch (error) {
    if (disconnected.aborted) throw error;
  }
}

/**
 * Writes a chunk of the response and waits while the client reads too slowly. Rejects when the
 * client disconnects.
 */
export async function write(call: SimulatorCall, chunk: string | Uint8Array): Promise<void> {
  call.disconnected.throwIfAborted();
  if (!call.response.write(chunk)) {
    await once(call.response, "drain", { signal: call.disconnected });
  }
}

/** Sends what was written, then destroys the connection before the response is complete. */
export function cutConnection(call: SimulatorCall): void {
  call.response.flushHeaders();
  call.response.socket?.destroySoon();
}
