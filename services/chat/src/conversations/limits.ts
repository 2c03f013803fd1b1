import type { Model } from "@tollgate/catalog/model";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { approximateTokens } from "../usage/usage.ts";
import type { Session } from "./session.ts";

/** The largest body of a request, and what a stored turn takes besides its content. */
const maxConversationBytes = 32 * 1024 * 1024;
const turnBytes = 1_024;

/**
 * Throws `context_length_exceeded` for a turn with which its conversation is too long, and
 * `invalid_param` for files and audio, and where the conversation has images that the model does not
 * take.
 */
export function checkTurn(call: ChatCall, model: Model, session: Session): void {
  // A turn that is stored already was checked before it was stored.
  if (session.storedTurn !== undefined) return;
  refuseMedia(call);
  checkBytes(call, session);
  checkContext(call, model, session);
}

/** Files and audio are not stored: one turn of them would fill a conversation. */
function refuseMedia({ prompt }: ChatCall): void {
  const [need] = prompt?.needs ?? [];
  if (need === undefined) return;
  throw invalidParam(need.param, "must be text or an image in a conversation");
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
  // What is stored is what the client sent, also where this model would be sent notes in its place.
  if (prefix.imageParts + (prompt?.imageParts ?? 0) > 0 && !model.vision) {
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
