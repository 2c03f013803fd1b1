import { GatewayError, unknownParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { affinityOf, firstTextOf } from "../../billable/affinity.ts";
import type { WireRequest } from "../../billable/wire-handler.ts";
import { rawJsonMembers } from "../../http/raw-json-members.ts";
import type { RequestBody } from "../../http/request-body.ts";
import { rejectUnknownFields, validate, withoutNulls } from "../../validation/validate.ts";
import { measurePrompt } from "./prompt-size.ts";
import { chatCompletionsSchema, streamOptionsSchema } from "./schema.ts";
import { sentMessages } from "./sent-messages.ts";

type PassesOf = (alias: unknown) => ReadonlySet<string> | undefined;

/**
 * Validates the JSON of a chat request, which was parsed from `body`. Messages, tools and other
 * structured members are sent to the provider as the client wrote them, and so are the members that
 * the model takes besides those of the API. `passesOf` returns their names; undefined for a value
 * that is no chat alias. Throws `unknown_param` and `invalid_param`.
 */
export function parseChat(
  json: JsonObject,
  body: RequestBody,
  passesOf: PassesOf = () => undefined,
): WireRequest {
  const passed = passedMembers(json, passesOf);
  const fields = withoutNulls(
    chatCompletionsSchema,
    passed.length === 0 ? json : without(passed, json),
  );
  if (isJsonObject(fields.stream_options)) {
    rejectUnknownFields(streamOptionsSchema, fields.stream_options, "stream_options.");
  }
  const {
    model,
    stream = false,
    n = 1,
    max_tokens,
    max_completion_tokens,
    session_id,
    messages,
  } = validate(chatCompletionsSchema, fields);
  if (session_id !== undefined && n > 1) {
    const message = "n must be 1 in a conversation.";
    throw new GatewayError("invalid_param", message, { param: "n" });
  }
  if (max_tokens !== undefined && (max_completion_tokens ?? max_tokens) !== max_tokens) {
    const message = "max_tokens must be equal to max_completion_tokens: both are the same limit.";
    throw new GatewayError("invalid_param", message, { param: "max_tokens" });
  }
  const maxTokens = max_completion_tokens ?? max_tokens;
  const members = rawJsonMembers(body, json);
  const sent = sentMessages(messages);
  return {
    stream,
    endUser: firstTextOf([json.user]),
    call: {
      $typeName: "tollgate.v1.ChatCall",
      alias: model,
      wire: WireName.CHAT,
      body: members.object([
        ...Object.keys(fields).filter((name) => !gatewayMembers.has(name)),
        ...passed.filter((name) => json[name] !== null),
      ]),
      choices: n,
      ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
      maxTokensField: fieldUsed(max_tokens, max_completion_tokens),
      prompt: measurePrompt(
        sent === undefined ? fields : { ...fields, messages: sent },
        passed.map((name) => json[name]),
      ),
      messages:
        sent === undefined ? members.value("messages") : [Buffer.from(JSON.stringify(sent))],
      sessionId: session_id ?? "",
      affinity: affinityOf(json.prompt_cache_key, json.user),
      headers: {},
    },
  };
}

/** Returns the members that only the model takes. Throws `unknown_param` for any other. */
function passedMembers(json: JsonObject, passesOf: PassesOf): readonly string[] {
  const names = Object.keys(json).filter(
    (name) => !Object.hasOwn(chatCompletionsSchema.shape, name),
  );
  if (names.length === 0) return names;
  const passes = passesOf(json.model);
  const unknown = names.find((name) => !passes?.has(name));
  if (unknown !== undefined) throw unknownParam(unknown);
  return names;
}

function without(names: readonly string[], json: JsonObject): JsonObject {
  const rest = { ...json };
  for (const name of names) delete rest[name];
  return rest;
}

/** The members that the gateway sets itself. All others are sent to the provider. */
const gatewayMembers: ReadonlySet<string> = new Set([
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
