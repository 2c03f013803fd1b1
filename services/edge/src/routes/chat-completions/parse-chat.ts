import type { Model } from "@tollgate/catalog/model";
import { GatewayError, invalidParam, unknownParam } from "@tollgate/core/errors";
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

/** What a model takes besides what every model takes. */
type TakenByModel = Pick<Model, "passes" | "allows">;

/**
 * Validates the JSON of a chat request, which was parsed from `body`. Messages, tools and other
 * structured members are sent to the provider as the client wrote them, and so are the members that
 * the model takes besides those of the API. `modelOf` returns what it takes; undefined for a value that is
 * no chat alias. Throws `unknown_param` and `invalid_param`.
 */
export function parseChat(
  json: JsonObject,
  body: RequestBody,
  modelOf: (alias: unknown) => TakenByModel | undefined = () => undefined,
): WireRequest {
  const taken = modelOf(json.model);
  const passed = passedMembers(json, taken?.passes);
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
    tools,
  } = validate(chatCompletionsSchema, fields);
  if (taken !== undefined) requireTools(tools ?? [], taken.allows);
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
function passedMembers(
  json: JsonObject,
  passes: ReadonlySet<string> | undefined,
): readonly string[] {
  const names = Object.keys(json).filter(
    (name) => !Object.hasOwn(chatCompletionsSchema.shape, name),
  );
  if (names.length === 0) return names;
  const unknown = names.find((name) => !passes?.has(name));
  if (unknown !== undefined) throw unknownParam(unknown);
  return names;
}

/**
 * Throws `invalid_param` for a tool that the client does not run itself, unless the model allows its type: the
 * provider may charge for its calls, which are not counted here. Throws `unknown_param` for a second type in
 * another case, as `Type`: some providers read names in any case, and would run the tool of that type.
 */
function requireTools(
  tools: readonly (JsonObject & { readonly type: string })[],
  allows: ReadonlySet<string>,
): void {
  for (const [index, tool] of tools.entries()) {
    const second = Object.keys(tool).find(isRecasedType);
    if (second !== undefined) throw unknownParam(`tools[${index}].${second}`);
    const { type } = tool;
    if (clientTools.has(type) || allows.has(`member:tools.${type}`)) continue;
    throw invalidParam(
      `tools[${index}].type`,
      "must be function or custom: the model does not allow tools of another type",
    );
  }
}

function isRecasedType(name: string): boolean {
  return name !== "type" && name.toLowerCase() === "type";
}

/** The types of tools whose calls the client makes. */
const clientTools: ReadonlySet<string> = new Set(["function", "custom"]);

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
