import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CallCounter } from "./call-counter.ts";
import type { CallLog } from "./call-log.ts";

/** The state that all calls to one simulator share. */
export interface SimulatorState {
  readonly calls: CallLog;
  readonly callCounter: CallCounter;
  nowMs(): number;
}

/** One HTTP call as the routes see it. */
export interface Call {
  readonly state: SimulatorState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The query string without its `?`; empty when there is none. */
  readonly search: string;
  /** Aborts when the connection closes before the response is complete. */
  readonly disconnected: AbortSignal;
}

/** One path with one method. `handle` writes the complete response. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** A last segment of `*` matches any one segment. */
  readonly path: string;
  handle(call: Call): Promise<void> | void;
}

export function openCall(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): Call {
  const disconnect = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) disconnect.abort();
  });
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? "" : url.slice(mark + 1);
  return { state, request, response, path, search, disconnected: disconnect.signal };
}

/** Returns whether the call carries a bearer token. The token itself is never recorded. */
export function isAuthorized({ headers }: IncomingMessage): boolean {
  return /^Bearer \S/i.test(headers.authorization ?? "");
}

/** Reads the caller's request id and its W3C trace context from the headers. */
export function correlationIds({ headers }: IncomingMessage) {
  return {
    requestId: headers["x-client-request-id"]?.toString() ?? null,
    traceparent: headers.traceparent?.toString() ?? null,
  };
}

/** Waits for `ms` milliseconds. Rejects at once when the client disconnects. */
export async function pause(call: Call, ms: number): Promise<void> {
  await delay(ms, undefined, { signal: call.disconnected });
}

/**
 * Writes a chunk of the response and waits while the client reads too slowly. Rejects when the
 * client disconnects.
 */
export async function write(call: Call, chunk: string | Uint8Array): Promise<void> {
  call.disconnected.throwIfAborted();
  if (!call.response.write(chunk)) {
    await once(call.response, "drain", { signal: call.disconnected });
  }
}

/** Sends what was written, then destroys the connection before the response is complete. */
export function cut(call: Call): void {
  call.response.flushHeaders();
  call.response.socket?.destroySoon();
}
