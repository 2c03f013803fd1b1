import { createAnthropic } from "@ai-sdk/anthropic";
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import {
  AISDKError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
} from "@ai-sdk/provider";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderResponse } from "../../provider-client.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { createProviderFetch, type ProviderFetch } from "../provider-fetch.ts";
import { callOptions } from "./call-options.ts";
import { writeChunks } from "./chunks.ts";
import { completionOf } from "./completion.ts";
import { toSlotFailure } from "./failure.ts";
import { checkMembers, notSupported } from "./members.ts";
import { refuseWarnings } from "./warnings.ts";

/** Chat completions by Anthropic's Messages API. */
export const anthropicChat: ChatAdapter = {
  async check({ upstreamModel }, request) {
    checkMembers(request);
    const options = callOptions(upstreamModel, request);
    const stream = request.stream === true;
    try {
      const { warnings } = await AnthropicLanguageModel.prepareRequest({
        modelId: upstreamModel,
        config: { provider: "anthropic.messages", baseURL: "" },
        options: { ...options, stream, userSuppliedBetas: new Set() },
      });
      refuseWarnings(warnings);
    } catch (cause) {
      throw AISDKError.isInstance(cause) ? notSupported("messages", cause.message) : cause;
    }
  },
  async post(providers, slot, request, call) {
    const sent = createProviderFetch(providers, slot, call, ["anthropic-beta"]);
    const model = modelOf(slot, sent.fetch);
    const options = { ...callOptions(slot.upstreamModel, request), abortSignal: call.signal };
    try {
      if (request.stream === true) return await postStream(model, options, sent, call.signal);
      return await postJson(model, options);
    } catch (error) {
      throw toSlotFailure(error, sent.failure, call.signal);
    }
  },
};

/** The provider client sets the address and the key. */
function modelOf({ upstreamModel }: Slot, fetch: typeof globalThis.fetch): LanguageModelV4 {
  return createAnthropic({ baseURL: "http://provider", apiKey: "unused", fetch })(upstreamModel);
}

async function postJson(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<ProviderResponse> {
  const bytes = Buffer.from(JSON.stringify(completionOf(await model.doGenerate(options))));
  const chunks = (async function* () {
    yield bytes;
  })();
  return toResponse("application/json", chunks, () => {});
}

async function postStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  sent: ProviderFetch,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const { stream } = await model.doStream(options);
  const chunks = (async function* () {
    try {
      yield* writeChunks(stream, model.modelId);
    } catch (error) {
      throw toSlotFailure(error, sent.failure, signal);
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
