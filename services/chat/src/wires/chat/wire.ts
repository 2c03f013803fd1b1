import { isChatInput } from "@tollgate/catalog/chat-inputs";
import type { Model, Slot } from "@tollgate/catalog/model";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import type { ChatCall, PromptNeed } from "@tollgate/proto/tollgate/v1/chat";
import { checkChat, isAdapted } from "@tollgate/providers/chat";
import { hasMedia } from "@tollgate/providers/result-media";
import type { Session } from "../../conversations/session.ts";
import { notTaken } from "../media-parts.ts";
import { describeRefusal } from "../refusal.ts";
import { seenBy } from "../unseen-media.ts";
import type { Wire } from "../wire.ts";
import { chatSlotBody } from "./body.ts";
import { completionOfProvider, isEmptyCompletion } from "./completion.ts";
import { ChatEvents } from "./events.ts";
import { requestFor } from "./post-translated.ts";
import { ChatResponse } from "./response.ts";
import { turnsOf } from "./stored-turns.ts";

/** Whether the stored turns of a conversation have images in the results of tools. */
function hasStoredMedia(session: Session | undefined): boolean {
  if (session === undefined || session.prefix.imageParts === 0) return false;
  return objectsIn(turnsOf(session)).some(hasMedia);
}

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
  idPrefix: "chatcmpl-",
  keepsIds: true,
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
    // OpenAI's wire has no images in the results of tools.
    const isMoved = (prompt?.imageParts ?? 0) > 0 && objectsIn(client.json.messages).some(hasMedia);
    const slots = isMoved ? chain : chain.filter(isAdapted);
    if (slots.length === 0) return { chain, translated: none };
    const chatOf = (slot: Slot) => (isMoved ? seenBy(model, slot, client.json) : client.json);
    return { chain, translated: new Map(slots.map((slot) => [slot, chatOf(slot)])) };
  },
  post(providers, client, slot, sending) {
    const { call } = client;
    const { isStream, session, signal } = sending;
    const body = hasStoredMedia(session)
      ? Buffer.from(JSON.stringify(requestFor(client, slot, client.json, sending)))
      : chatSlotBody(call, slot, session, sending);
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
