import { GatewayError } from "@tollgate/core/errors";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { CallOptions } from "@tollgate/rpc/implementation";
import type { RequestBody } from "../http/request-body.ts";
import { eventStreamType, jsonType, type RouteResponse } from "../http/response.ts";
import { type CollectedContent, type ContentIds, maxContentBytes } from "./collected-content.ts";
import type { Contents } from "./contents.ts";
import { withoutMedia } from "./without-media.ts";

/** Calls the service of a request. */
export type Run = (caller: Caller, options: CallOptions) => Promise<RouteResponse> | RouteResponse;

const textTypes: ReadonlySet<string> = new Set([jsonType, eventStreamType]);

/**
 * Returns a call that also collects the content of its request and, unless `onlyRequest`, of its response.
 * Nothing is collected of a request that is refused before it reaches the ledger. The response is passed on
 * as it comes.
 */
export function collectedRun(
  contents: Contents,
  { ids, body, onlyRequest }: { ids: ContentIds; body: RequestBody; onlyRequest: boolean },
  run: Run,
): Run {
  // The buffer of the body is used again once it is parsed.
  const request = body.use((text) => withoutMedia(text, maxContentBytes));
  return async (caller, options) => {
    const content = contents.begin(ids, request);
    try {
      const response = await run(caller, options);
      if (onlyRequest || !textTypes.has(response.contentType)) {
        contents.end(content);
        return response;
      }
      if ("body" in response) {
        content.addWhole(response.body);
        contents.end(content);
        return response;
      }
      return { ...response, chunks: collectedChunks(contents, content, response.chunks) };
    } catch (error) {
      endFailed(contents, content, error);
      throw error;
    }
  };
}

async function* collectedChunks(
  contents: Contents,
  content: CollectedContent,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  try {
    for await (const chunk of chunks) {
      content.add(chunk);
      yield chunk;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    if (failure === undefined) contents.end(content);
    else endFailed(contents, content, failure);
  }
}

/** Stores the content of a request that has a record in the ledger, and discards that of another. */
function endFailed(contents: Contents, content: CollectedContent, error: unknown): void {
  const hasRecord = !(error instanceof GatewayError) || error.hasRecord || content.hasResponse;
  if (hasRecord) contents.end(content);
  else contents.drop(content);
}
