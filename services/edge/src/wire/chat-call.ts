import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { refuseUnknownFields, validate, withoutNulls } from "../validation.ts";
import { writtenMembers } from "../written-members.ts";
import { chatSchema, streamOptionsSchema } from "./chat-schema.ts";
import { measurePrompt } from "./prompt-size.ts";

export interface ParsedChat {
  stream: boolean;
  /** Complete but for its caller. */
  call: ChatCall;
}

/**
 * Reads a chat request's body, which was parsed from `text`. Messages, tools and the like go on as
 * the client wrote them. Raises `unknown_param` and `invalid_param`, naming the field.
 */
export function parseChat(body: JsonObject, text: Buffer): ParsedChat {
  const fields = withoutNulls(chatSchema, body);
  if (isJsonObject(fields.stream_options)) {
    refuseUnknownFields(streamOptionsSchema, fields.stream_options, "stream_options.");
  }
  const {
    model,
    stream = false,
    n = 1,
    max_tokens,
    max_completion_tokens,
    session_id,
  } = validate(chatSchema, fields);
  if (session_id !== undefined && n > 1) {
    const message = "n: a conversation goes on with one answer.";
    throw new GatewayError("invalid_param", message, { param: "n" });
  }
  if (max_tokens !== undefined && (max_completion_tokens ?? max_tokens) !== max_tokens) {
    const message = "max_tokens and max_completion_tokens mean the same, and differ here.";
    throw new GatewayError("invalid_param", message, { param: "max_tokens" });
  }
  const maxTokens = max_completion_tokens ?? max_tokens;
  const written = writtenMembers(text, body);
  return {
    stream,
    call: {
      $typeName: "tollgate.v1.ChatCall",
      alias: model,
      body: written.object(Object.keys(fields).filter((name) => !ourMembers.has(name))),
      choices: n,
      ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
      maxTokensField: fieldUsed(max_tokens, max_completion_tokens),
      prompt: measurePrompt(fields),
      messages: written.value("messages"),
      sessionId: session_id ?? "",
    },
  };
}

/** What the gateway itself decides; all else goes on to the provider. */
const ourMembers: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "session_id",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
]);

function fieldUsed(maxTokens: number | undefined, maxCompletionTokens: number | undefined): string {
  if (maxCompletionTokens !== undefined) return "max_completion_tokens";
  return maxTokens === undefined ? "" : "max_tokens";
}
