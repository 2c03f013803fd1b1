import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { AdaptedCall, ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { writeChunks } from "./chunks.ts";
import { completionOf } from "./completion.ts";
import { chunksOfCompletion } from "./completion-chunks.ts";
import { toSlotFailure } from "./failure.ts";
import type { LanguageModelKind } from "./kind.ts";
import { checkMembers, otherMembers } from "./members.ts";
import { createProviderFetch, type ProviderFetch } from "./provider-fetch.ts";

/** Creates the adapter of a kind whose chat goes through a package of the AI SDK. */
export function createChatAdapter(kind: LanguageModelKind): ChatAdapter {
  return {
    check({ upstreamModel }, request) {
      checkMembers(kind, request);
      const options = kind.callOptions(upstreamModel, request);
      const member = kind.unsupportedMember(upstreamModel, options);
      if (member !== undefined) throw notSupported(member);
    },
    async complete(providers, slot, request, call) {
      const { sent, model, options } = prepare(kind, { providers, slot, request, call }, false);
      try {
        return completionOf(kind, model.modelId, await model.doGenerate(options));
      } catch (error) {
        throw toSlotFailure(kind, error, sent, call.signal);
      }
    },
    async stream(providers, slot, request, call) {
      const { sent, model, options } = prepare(kind, { providers, slot, request, call }, true);
      try {
        const { stream } = await model.doStream(options);
        const chunks = writeChunks(kind, stream, model.modelId, sent);
        const read = withFailures(kind, chunks, { sent, model, options }, call.signal);
        return Object.assign(read, { stopReceiving: sent.stopReceiving });
      } catch (error) {
        throw toSlotFailure(kind, error, sent, call.signal);
      }
    },
  };
}

interface Sending {
  providers: ProviderClient;
  slot: Slot;
  request: JsonObject;
  call: AdaptedCall;
}

interface PreparedCall {
  sent: ProviderFetch;
  model: LanguageModelV4;
  options: LanguageModelV4CallOptions;
}

function prepare(
  kind: LanguageModelKind,
  { providers, slot, request, call }: Sending,
  isStream: boolean,
): PreparedCall {
  const { headers, framing, responses } = kind;
  const members = kind.takesOtherMembers === true ? otherMembers(request) : undefined;
  const target = { path: kind.pathOf(slot, isStream), headers, framing, responses, members };
  const accept = isStream ? ("text/event-stream" as const) : ("application/json" as const);
  const sent = createProviderFetch(providers, slot, { ...call, accept }, target);
  const model = kind.createModel(slot.upstreamModel, sent.fetch);
  const options = kind.callOptions(slot.upstreamModel, request);
  const includeRawChunks = isStream && kind.usageOfEvent !== undefined;
  return { sent, model, options: { ...options, includeRawChunks, abortSignal: call.signal } };
}

async function* withFailures(
  kind: LanguageModelKind,
  chunks: AsyncIterable<JsonObject>,
  { sent, model, options }: PreparedCall,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  try {
    yield* chunks;
    const answer = sent.answer();
    if (answer !== undefined) yield* await chunksOfAnswer(kind, answer, model.modelId, options);
  } catch (error) {
    throw toSlotFailure(kind, error, sent, signal);
  }
}

/** Resolves with the chunks of a whole response that the provider sent instead of a stream. */
async function chunksOfAnswer(
  kind: LanguageModelKind,
  answer: string,
  modelId: string,
  options: LanguageModelV4CallOptions,
): Promise<JsonObject[]> {
  const headers = { "content-type": "application/json" };
  const model = kind.createModel(modelId, async () => new Response(answer, { headers }));
  return chunksOfCompletion(completionOf(kind, modelId, await model.doGenerate(options)));
}
