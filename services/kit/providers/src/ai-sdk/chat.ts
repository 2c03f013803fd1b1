import {
  AISDKError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
} from "@ai-sdk/provider";
import type { ProviderResponse } from "@tollgate/upstream/provider-client";
import { createProviderFetch, type ProviderFetch } from "@tollgate/upstream/provider-fetch";
import type { ChatAdapter } from "./chat-adapter.ts";
import { writeChunks } from "./chunks.ts";
import { completionOf } from "./completion.ts";
import { toSlotFailure } from "./failure.ts";
import type { LanguageModelKind } from "./kind.ts";
import { checkMembers, notSupported } from "./members.ts";
import { refuseWarnings } from "./warnings.ts";

/** Creates the adapter of a kind whose chat goes through a package of the AI SDK. */
export function createChatAdapter(kind: LanguageModelKind): ChatAdapter {
  return {
    async check({ upstreamModel }, request) {
      checkMembers(kind, request);
      const options = kind.callOptions(upstreamModel, request);
      try {
        const isStream = request.stream === true;
        refuseWarnings(kind, await kind.warningsOf(upstreamModel, options, isStream));
      } catch (cause) {
        throw AISDKError.isInstance(cause) ? notSupported("messages", cause.message) : cause;
      }
    },
    async post(providers, slot, request, call) {
      const isStream = request.stream === true;
      const { headers, framing } = kind;
      const target = { path: kind.pathOf(slot, isStream), headers, framing };
      const sent = createProviderFetch(providers, slot, call, target);
      const model = kind.createModel(slot.upstreamModel, sent.fetch);
      const options = kind.callOptions(slot.upstreamModel, request);
      const abortable = { ...options, abortSignal: call.signal };
      try {
        if (isStream) return await postStream(kind, model, abortable, sent, call.signal);
        return await postJson(kind, model, abortable);
      } catch (error) {
        throw toSlotFailure(error, sent.failure(), call.signal);
      }
    },
  };
}

async function postJson(
  kind: LanguageModelKind,
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<ProviderResponse> {
  const completion = completionOf(kind, model.modelId, await model.doGenerate(options));
  const bytes = Buffer.from(JSON.stringify(completion));
  const chunks = (async function* () {
    yield bytes;
  })();
  return toResponse("application/json", chunks, () => {});
}

async function postStream(
  kind: LanguageModelKind,
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  sent: ProviderFetch,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const { stream } = await model.doStream(options);
  const chunks = (async function* () {
    try {
      yield* writeChunks(kind, stream, model.modelId);
    } catch (error) {
      throw toSlotFailure(error, sent.failure(), signal);
    }
  })();
  return toResponse("text/event-stream", chunks, sent.letEnd);
}

function toResponse(
  contentType: string,
  chunks: AsyncGenerator<Buffer>,
  letEnd: () => void,
): ProviderResponse {
  const body = { [Symbol.asyncIterator]: () => chunks, letEnd };
  return { status: 200, contentType, body };
}
