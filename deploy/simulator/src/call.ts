import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { FirstCalls } from "./first-calls.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** What all calls to one simulator share. */
export interface World {
  readonly journal: Journal;
  readonly firstCalls: FirstCalls;
  nowMs(): number;
}

/** One HTTP call as the routes see it. */
export interface Call {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** What follows the `?`, empty when nothing does. */
  readonly search: string;
  /** Aborts when the connection ends before the answer does. */
  readonly left: AbortSignal;
}

/** One path with one method. `handle` writes the whole answer. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** A last segment of `*` stands for any one segment. */
  readonly path: string;
  handle(call: Call): Promise<void> | void;
}

export function openCall(world: World, request: IncomingMessage, response: ServerResponse): Call {
  const leaving = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) leaving.abort();
  });
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? "" : url.slice(mark + 1);
  return { world, request, response, path, search, left: leaving.signal };
}

/** True when the call carries a bearer secret. The secret itself goes nowhere. */
export function isAuthorized({ headers }: IncomingMessage): boolean {
  return /^Bearer \S/i.test(headers.authorization ?? "");
}

/** What the caller calls its request, and the trace that it is part of. */
export function namesOf({ headers }: IncomingMessage) {
  return {
    requestId: headers["x-client-request-id"]?.toString() ?? null,
    traceparent: headers.traceparent?.toString() ?? null,
  };
}

/** Waits, and rejects at once when the client leaves. */
export async function pause(call: Call, ms: number): Promise<void> {
  await delay(ms, undefined, { signal: call.left });
}

/** Writes a piece of the answer at the client's pace. Rejects when the client leaves. */
export async function write(call: Call, piece: string | Uint8Array): Promise<void> {
  call.left.throwIfAborted();
  if (!call.response.write(piece)) await once(call.response, "drain", { signal: call.left });
}

/** Sends what was written, then destroys the connection with the answer unfinished. */
export function cut(call: Call): void {
  call.response.flushHeaders();
  call.response.socket?.destroySoon();
}

/** Runs the answer to a journaled call, and notes it when the client leaves before the end. */
export async function untilClientLeaves(
  call: Call,
  entry: JournalEntry,
  answer: () => Promise<void>,
): Promise<void> {
  try {
    await answer();
  } catch (error) {
    if (entry.outcome === "open") entry.outcome = call.left.aborted ? "client_left" : "failed";
    throw error;
  }
}
