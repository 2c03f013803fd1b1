import type { Slot } from "@tollgate/catalog/model";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import type { PostCall, ProviderClient } from "@tollgate/upstream/provider-client";
import { type ProviderResponse, readBytes } from "@tollgate/upstream/provider-response";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";

/** The `fetch` of a provider package for one call, and what it does not report itself. */
export interface ProviderFetch {
  fetch: typeof fetch;
  /**
   * Returns the failure of the request or of reading its response, as the provider client throws it;
   * undefined where there is none.
   */
  failure(): unknown;
  /** See `ProviderBody.letEnd`. */
  letEnd(): void;
}

/** The largest single line of a stream, or event in another framing. */
const maxEventBytes = 16 * 1024 * 1024;

/** Where a package's requests go, whatever address it has, and which of its headers are sent. */
export interface FetchTarget {
  /** The path after the provider's base URL. */
  path: string;
  headers: readonly string[];
  /** How the events of a stream are separated; by lines where it is not set. */
  framing?: Framing | undefined;
}

/** A framing of events other than lines. */
export interface Framing {
  /** The media type of such a stream. */
  mediaType: string;
  /** Yields the stream unchanged. Throws a SlotFailure where an event is larger than the limit. */
  limit(body: AsyncIterable<Buffer>, maxBytes: number): AsyncIterable<Buffer>;
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

  async function post(init: RequestInit | undefined): Promise<Response> {
    const given = new Headers(init?.headers);
    const framed = accept === "text/event-stream" ? target.framing?.mediaType : undefined;
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: framed ?? accept,
      ...requestIdHeader(requestId),
    };
    for (const name of target.headers) {
      const value = given.get(name);
      if (value !== null) headers[name] = value;
    }
    const sent = Buffer.from(String(init?.body ?? ""));
    const request = { method: "POST" as const, path: target.path, headers, body: sent };
    return toResponse(await providers.send(slot, request, signal));
  }

  async function toResponse(response: ProviderResponse): Promise<Response> {
    const { status, contentType } = response;
    body = response.body;
    const init = { status, headers: { "content-type": contentType } };
    if (accept !== "text/event-stream") {
      return new Response(await readBytes(response, signal), init);
    }
    const { limit } = target.framing ?? lines;
    const limited = limit(body, maxEventBytes);
    return new Response(ReadableStream.from(recordFailure(limited)), init);
  }

  async function* recordFailure(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
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
    letEnd: () => body?.letEnd(),
  };
}

const lines: Framing = { mediaType: "text/event-stream", limit: limitLines };

/** Throws a SlotFailure where a line of the stream is too large. */
async function* limitLines(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let lineBytes = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(0x0a);
    lineBytes = end < 0 ? lineBytes + chunk.length : chunk.length - end;
    if (lineBytes > maxBytes) throw new SlotFailure("oversized", "an event is too large");
    yield chunk;
  }
}
