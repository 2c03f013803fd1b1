import { isChatInput } from "@tollgate/catalog/chat-inputs";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall, PromptNeed } from "@tollgate/proto/tollgate/v1/chat";
import { checkChat, isAdapted } from "@tollgate/providers/chat";
import { notTaken } from "../media-parts.ts";
import { describeRefusal } from "../refusal.ts";
import type { Wire } from "../wire.ts";
import { chatSlotBody } from "./body.ts";
import { completionOfProvider, isEmptyCompletion } from "./completion.ts";
import { ChatEvents } from "./events.ts";
import { ChatResponse } from "./response.ts";

/** Returns the slots whose kinds take the parts of a request. Throws `invalid_param` where none do. */
function takingAll({ chain }: Model, needs: readonly PromptNeed[]): readonly Slot[] {
  if (needs.length === 0) return chain;
  let able = chain;
  for (const { name, param } of needs) {
    if (!isChatInput(name)) continue;
    able = able.filter(({ provider }) => provider.kind.chatInputs.has(name));
    if (able.length === 0) throw notTaken(param, name);
  }
  return able;
}

const none: ReadonlyMap<Slot, JsonObject> = new Map();

/** OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat */
export const chatWire: Wire = {
  parse({ body, messages }: ChatCall) {
    const members = JSON.parse(Buffer.from(body).toString("utf8")) as JsonObject;
    const list = JSON.parse(Buffer.concat(messages).toString("utf8")) as unknown;
    return { ...members, messages: list };
  },
  async findSlots(client, model, stream) {
    const { maxTokens, prompt } = client.call;
    const chain = takingAll(model, prompt?.needs ?? []);
    const limit = maxTokens === undefined ? {} : { max_completion_tokens: Number(maxTokens) };
    await checkChat({ ...model, chain }, () => ({ ...client.json, stream, ...limit }));
    const adapted = chain.filter(isAdapted);
    if (adapted.length === 0) return { chain, translated: none };
    const translated = new Map(adapted.map((slot) => [slot, client.json]));
    return { chain, translated };
  },
  post(providers, { call }, slot, { isStream, maxTokens, session, signal }) {
    const body = chatSlotBody(call, slot, session, { isStream, maxTokens });
    const accept = isStream ? "text/event-stream" : "application/json";
    const { requestId = "" } = call.caller ?? {};
    return providers.post(slot, body, { accept, requestId, signal });
  },
  isEmpty: isEmptyCompletion,
  readResponse: ({ value }, context) =>
    new ChatResponse(completionOfProvider(value, context), context),
  readEvents: (context) => new ChatEvents(context),
  fromChat: (completion, context) => new ChatResponse(completion, context),
  writeEvents: (context) => new ChatEvents(context),
  // The contract has a code of its own for what else a provider refuses.
  describeFailure: (error) =>
    describeRefusal(error, false, (message) => ({ param: "messages", message })),
};
