import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import type { PostCall, ProviderClient } from "@tollgate/upstream/provider-client";
import { type ProviderResponse, readBytes } from "@tollgate/upstream/provider-response";
import { reportedFailure } from "@tollgate/upstream/refusal";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import { filterEvents } from "./filter-events.ts";
import { ResponseBody } from "./response-body.ts";
import { EventFilter, type ResponseShape } from "./response-shape.ts";

/** The `fetch` of a provider package for one call, and what it does not report itself. */
export interface ProviderFetch {
  fetch: typeof fetch;
  /**
   * Returns the failure of the request or of reading its response, as the provider client throws it;
   * undefined where there is none.
   */
  failure(): unknown;
  /**
   * Returns what is read of a whole response that the provider sent instead of a stream; undefined for a
   * stream. Throws a SlotFailure for one that reports an error, or is cut.
   */
  answer(): string | undefined;
  /** See `ProviderBody.letEnd`. */
  letEnd(): void;
  /** See `ProviderBody.stopReceiving`. */
  stopReceiving(): void;
}

/** The largest single event in another framing than lines. */
const maxEventBytes = 16 * 1024 * 1024;

/** Where a package's requests go, whatever address it has, and which of its headers are sent. */
export interface FetchTarget {
  /** The path after the provider's base URL. */
  path: string;
  headers: readonly string[];
  /** How the events of a stream are separated; by lines where it is not set. */
  framing?: Framing | undefined;
  /** What is read of responses. */
  responses: ResponseShape;
  /** Members that a body has besides those of the package, which come first where both have one. */
  members?: JsonObject | undefined;
}

/** A framing of events other than lines. */
export interface Framing {
  /** The media type of such a stream. */
  mediaType: string;
  /**
   * Yields the stream with what is read of its events. Throws a SlotFailure where an event is larger than
   * the limit, or reports an error.
   */
  filter(body: AsyncIterable<Buffer>, filter: EventFilter, maxBytes: number): AsyncIterable<Buffer>;
}

/**
 * Creates a `fetch` that posts to the slot's provider with the provider client: its connections,
 * timeouts, limits, trace and key.
 */
export function createProviderFetch(
  providers: ProviderClient,
  slot: Slot,
  { accept, requestId, signal }: PostCall,
  target: FetchTarget,
): ProviderFetch {
  let failure: unknown;
  let body: ProviderBody | undefined;
  let streamed: ResponseBody | undefined;

  async function post(init: RequestInit | undefined): Promise<Response> {
    const headers = headersOf(init, { accept, requestId }, target);
    const sent = Buffer.from(withMembers(String(init?.body ?? ""), target.members));
    const request = { method: "POST" as const, path: target.path, headers, body: sent };
    return toResponse(await providers.send(slot, request, signal));
  }

  function failureOf(event: JsonObject, status: number | undefined): SlotFailure {
    return reportedFailure(event, status, slot.provider.kind);
  }

  async function toResponse(response: ProviderResponse): Promise<Response> {
    const { status, contentType } = response;
    const { responses } = target;
    body = response.body;
    const init = { status, headers: { "content-type": contentType } };
    if (accept !== "text/event-stream") {
      const bytes = await readBytes(response, signal);
      return new Response(readAnswer(bytes, responses, slot), init);
    }
    const filter = new EventFilter(responses, failureOf);
    streamed = new ResponseBody(body);
    const events =
      target.framing?.filter(streamed, filter, maxEventBytes) ?? filterEvents(streamed, filter);
    return new Response(ReadableStream.from(recordFailure(events, filter)), init);
  }

  /**
   * Ends a stream that breaks, so that what arrived before is read before `failure` is. One that breaks
   * once it has finished is complete.
   */
  async function* recordFailure(
    chunks: AsyncIterable<Buffer>,
    filter: EventFilter,
  ): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (error) {
      if (filter.isFinished && !signal.aborted) return;
      failure = error;
    }
  }

  return {
    async fetch(_url, init) {
      try {
        return await post(init);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    failure: () => failure,
    answer() {
      const value = streamed?.value();
      if (value === undefined) return undefined;
      // Gemini lists the responses of a stream that is not one of events.
      const one = Array.isArray(value) ? value[0] : value;
      return JSON.stringify(readValue(one, target.responses, slot) ?? one ?? null);
    },
    letEnd: () => body?.letEnd(),
    stopReceiving: () => body?.stopReceiving?.(),
  };
}

function withMembers(body: string, members: JsonObject | undefined): string {
  return members === undefined ? body : JSON.stringify({ ...members, ...JSON.parse(body) });
}

function headersOf(
  init: RequestInit | undefined,
  { accept, requestId }: Pick<PostCall, "accept" | "requestId">,
  { framing, headers: sent }: FetchTarget,
): Record<string, string> {
  const given = new Headers(init?.headers);
  const framed = accept === "text/event-stream" ? framing?.mediaType : undefined;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: framed ?? accept,
    ...requestIdHeader(requestId),
  };
  for (const name of sent) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Returns what is read of a whole response. Throws a SlotFailure for one that reports an error. */
function readAnswer(
  bytes: Buffer<ArrayBuffer>,
  responses: ResponseShape,
  slot: Slot,
): string | Buffer<ArrayBuffer> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return bytes;
  }
  const known = readValue(value, responses, slot);
  return known === undefined ? bytes : JSON.stringify(known);
}

/** Does the same for a value; returns undefined where nothing is read of it. */
function readValue(value: unknown, { answer }: ResponseShape, slot: Slot): unknown {
  if (isJsonObject(value)) refuseReportedError(value, slot.provider.kind);
  return answer(value);
}
