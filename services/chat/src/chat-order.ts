import type { Model } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { NanoUsd } from "@tollgate/core/money";
import type { Pipeline } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { Session, Sessions } from "./conversations/session.ts";
import { withPrompt } from "./conversations/sizes.ts";
import { type Bound, boundOf, estimateOf } from "./estimate.ts";
import { approximateTokens } from "./usage.ts";

/** The largest body that a request may have, and what a turn takes besides its content. */
const maxConversationBytes = 32 * 1024 * 1024;
const turnBytes = 1_024;

/** What chat completions stand on; without `sessions`, no conversation is stored. */
export interface ChatParts extends Modality {
  sessions: Sessions | undefined;
  now(): Date;
}

/** A chat call with the model that its alias names, and what it can use and cost at the most. */
export interface ChatOrder {
  model: Model;
  /** The conversation that it continues, open until the turn has ended. */
  session: Session | undefined;
  bound: Bound;
  estimate: NanoUsd;
  /** Characters of everything that the model reads. */
  promptCharacters: bigint;
}

/**
 * Looks up what a call needs, and opens its conversation, which the caller must release. Raises
 * `sessions_unavailable`, `model_not_found`, `invalid_param` for images where the alias has no
 * vision, `context_length_exceeded`, and what opening a conversation raises.
 */
export async function orderChat(
  { pipeline, sessions }: ChatParts,
  call: ChatCall,
  signal: AbortSignal,
): Promise<ChatOrder> {
  if (call.sessionId !== "" && sessions === undefined) {
    const message = "Conversations are not kept here: send the whole exchange in messages.";
    throw new GatewayError("sessions_unavailable", message, { param: "session_id" });
  }
  const model = resolveChat(pipeline, call);
  const session = call.sessionId === "" ? undefined : await sessions?.open(call, signal);
  try {
    return { model, session, ...measureOrder(call, model, session) };
  } catch (error) {
    await session?.release();
    throw error;
  }
}

function resolveChat(pipeline: Pipeline, { alias, prompt }: ChatCall): Model {
  const model = pipeline.resolve(alias, "chat");
  if ((prompt?.imageParts ?? 0) === 0 || model.vision) return model;
  const message = `${model.alias} does not take images.`;
  throw new GatewayError("invalid_param", message, { param: prompt?.firstImageParam });
}

function measureOrder(call: ChatCall, model: Model, session: Session | undefined) {
  // A turn that is stored already had its place.
  if (session !== undefined && session.kept === undefined) {
    checkBytes(call, session);
    checkContext(call, model, session);
  }
  const prompt = session === undefined ? call.prompt : withPrompt(session.prefix, call.prompt);
  const bound = boundOf(call, model, prompt);
  const promptCharacters = prompt?.textCharacters ?? 0n;
  return { bound, estimate: estimateOf(bound, model), promptCharacters };
}

/**
 * A conversation holds as much as a body that would send all of it, and is never larger in memory
 * or when it is read. Its first turn came in such a body itself.
 */
function checkBytes({ messages }: ChatCall, { prefix: { turnCount, content } }: Session): void {
  if (turnCount === 0) return;
  const stored = content.reduce((sum, { byteLength }) => sum + byteLength, turnCount * turnBytes);
  const bytes = stored + messages.byteLength;
  if (bytes <= maxConversationBytes) return;
  const message =
    `The conversation and this turn come to ${bytes} bytes, and ${maxConversationBytes} are the ` +
    "most. Go on in another one.";
  throw new GatewayError("context_length_exceeded", message, { param: "messages" });
}

/** The stored turns as their provider counted them, and the new one by its characters. */
function checkContext({ prompt }: ChatCall, model: Model, { prefix }: Session): void {
  if (prefix.imageParts > 0 && !model.vision) {
    const message = `The conversation holds images, which ${model.alias} does not take.`;
    throw new GatewayError("invalid_param", message, { param: "model" });
  }
  const added = approximateTokens(prompt?.textCharacters ?? 0n);
  const tokens = prefix.contextTokens + added;
  if (model.contextTokens === undefined || tokens <= BigInt(model.contextTokens)) return;
  const message =
    `The conversation and this turn come to ${tokens} tokens, and ${model.alias} takes ` +
    `${model.contextTokens}.`;
  throw new GatewayError("context_length_exceeded", message, { param: "messages" });
}
