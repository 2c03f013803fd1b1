import type { Model } from "@tollgate/catalog/model";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Engine } from "@tollgate/generation/engine";
import type { BillableCall } from "@tollgate/generation/generation";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { checkChat } from "@tollgate/providers/chat";
import type { Session, Sessions } from "./conversations/session.ts";
import { withPrompt } from "./conversations/sizes.ts";
import { type HoldPlan, planHold } from "./hold/hold-plan.ts";
import { approximateTokens } from "./usage/usage.ts";

/** The largest body of a request, and what a stored turn takes besides its content. */
const maxConversationBytes = 32 * 1024 * 1024;
const turnBytes = 1_024;

/** What chat completions need. Without `sessions`, no conversation is stored. */
export interface ChatRuntime extends ProviderRuntime {
  sessions: Sessions | undefined;
  now(): Date;
}

/** A chat call with the model that its alias names, and what is held for it. */
export interface PreparedChat {
  call: ChatCall;
  model: Model;
  /** The conversation that the call continues, locked until it is released. */
  session: Session | undefined;
  hold: HoldPlan;
  /** Characters of everything that the model reads. */
  promptCharacters: bigint;
}

/**
 * Looks up what a call needs, and opens its conversation, which the caller must release. Throws
 * `sessions_unavailable`, `model_not_found`, `invalid_param` for images where the alias has no
 * vision, `context_length_exceeded`, and what opening a conversation throws.
 */
export async function prepareChat(
  { engine, sessions }: ChatRuntime,
  call: ChatCall,
  isStream: boolean,
  signal: AbortSignal,
): Promise<PreparedChat> {
  if (call.sessionId !== "" && sessions === undefined) {
    const message =
      "This gateway does not store conversations: send all messages of the conversation.";
    throw new GatewayError("sessions_unavailable", message, { param: "session_id" });
  }
  const model = resolveChat(engine, call);
  await checkChat(model, () => requestOf(call, isStream));
  const session = call.sessionId === "" ? undefined : await sessions?.open(call, signal);
  try {
    return { call, model, session, ...measurePrompt(call, model, session, isStream) };
  } catch (error) {
    await session?.release();
    throw error;
  }
}

/** Returns the parsed request of a call, without the turns of its conversation. */
function requestOf({ body, messages, maxTokens }: ChatCall, stream: boolean): JsonObject {
  const members = JSON.parse(Buffer.from(body).toString("utf8")) as JsonObject;
  const own = { messages: JSON.parse(Buffer.concat(messages).toString("utf8")) as unknown, stream };
  const limit = maxTokens === undefined ? {} : { max_completion_tokens: Number(maxTokens) };
  return { ...members, ...own, ...limit };
}

/** Returns the call as the engine bills it. */
export function billableChat({ call, model, hold, session }: PreparedChat): BillableCall {
  const { estimate, least, most, tokens } = hold;
  const conversationId = session?.link;
  return { caller: call.caller, model, estimate, least, most, tokens, conversationId };
}

/**
 * Returns the model of a call's alias. Throws `model_not_found`, and `invalid_param` for images where
 * it has no vision.
 */
export function resolveChat(
  engine: Engine,
  { alias, caller, prompt }: Pick<ChatCall, "alias" | "caller" | "prompt">,
): Model {
  const model = engine.resolve(alias, "chat", caller);
  if ((prompt?.imageParts ?? 0) === 0 || model.vision) return model;
  const problem = `must not be an image: ${model.alias} does not take images`;
  throw invalidParam(prompt?.firstImageParam ?? "messages", problem);
}

function measurePrompt(
  call: ChatCall,
  model: Model,
  session: Session | undefined,
  isStream: boolean,
) {
  // A turn that is stored already was checked before it was stored.
  if (session !== undefined && session.storedTurn === undefined) {
    checkBytes(call, session);
    checkContext(call, model, session);
  }
  const prompt = session === undefined ? call.prompt : withPrompt(session.prefix, call.prompt);
  const promptCharacters = prompt?.textCharacters ?? 0n;
  return { hold: planHold(call, model, prompt, isStream), promptCharacters };
}

/**
 * A conversation holds no more than one request body could, so that reading it takes bounded
 * memory. Its first turn is bounded by its own request body.
 */
function checkBytes({ messages }: ChatCall, { prefix: { turnCount, content } }: Session): void {
  if (turnCount === 0) return;
  const bytes = [...content, ...messages].reduce(
    (sum, { byteLength }) => sum + byteLength,
    turnCount * turnBytes,
  );
  if (bytes <= maxConversationBytes) return;
  const message =
    `The conversation and this turn have ${bytes} bytes together; the limit is ` +
    `${maxConversationBytes}. Start another conversation.`;
  throw new GatewayError("context_length_exceeded", message, { param: "messages" });
}

/** Counts the stored turns as their provider did, and the new turn by its characters. */
function checkContext({ prompt }: ChatCall, model: Model, { prefix }: Session): void {
  if (prefix.imageParts > 0 && !model.vision) {
    const reason = `the conversation holds images, which ${model.alias} does not take`;
    throw invalidParam("model", `must be an alias with vision: ${reason}`);
  }
  const added = approximateTokens(prompt?.textCharacters ?? 0n);
  const tokens = prefix.contextTokens + added;
  if (model.contextTokens === undefined || tokens <= BigInt(model.contextTokens)) return;
  const message =
    `The conversation and this turn have ${tokens} tokens together, and ${model.alias} takes ` +
    `${model.contextTokens}.`;
  throw new GatewayError("context_length_exceeded", message, { param: "messages" });
}
