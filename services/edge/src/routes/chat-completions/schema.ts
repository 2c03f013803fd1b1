import type { ChatMember } from "@tollgate/catalog/chat-members";
import { describeIssue } from "@tollgate/core/schema-errors";
import { z } from "zod";
import { alias, boolean, integerFrom, numberFrom, text } from "../../validation/fields.ts";
import { listOf, mapOf } from "../../validation/first-error-lists.ts";
import { userAudioPart, userFilePart } from "./media-parts.ts";

/**
 * The fields of a chat request, each validated as far as the contract specifies it. Optional fields
 * may be null at any depth. Patterns have no flags, because JSON Schema has none.
 */

const imageUrl = /^([hH][tT][tT][pP][sS]?:\/\/|[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]\/)/;

const textPart = z.looseObject({ type: z.literal("text"), text }).meta({ id: "TextPart" });
const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: text });
const imagePart = z
  .looseObject({
    type: z.literal("image_url"),
    image_url: z.looseObject(
      {
        url: text.regex(imageUrl, "must be an http, https or data:image URL"),
        detail: z.enum(["auto", "low", "high"]).nullish(),
      },
      { error: "must be an object with a url" },
    ),
  })
  .meta({ id: "ImagePart" });

type UserPart = typeof textPart | typeof imagePart | typeof userFilePart | typeof userAudioPart;

function parts<Part extends z.core.$ZodTypeDiscriminable>(first: Part, ...others: Part[]) {
  const part = z.discriminatedUnion("type", [first, ...others]);
  return listOf(part, "must be an array of content parts").min(1, "must not be empty");
}

function content<Parts extends z.ZodType>(allowed: Parts) {
  return z.union([text, allowed], { error: "must be a string or an array of content parts" });
}

const name = text.nullish();
const toolName = text.min(1, "must not be empty");
const toolCall = z
  .discriminatedUnion("type", [
    z.looseObject({
      id: text,
      type: z.literal("function"),
      function: z.looseObject(
        { name: toolName, arguments: text },
        { error: "must be an object with a name and arguments" },
      ),
    }),
    z.looseObject({
      id: text,
      type: z.literal("custom"),
      custom: z.looseObject(
        { name: toolName, input: text },
        { error: "must be an object with a name and an input" },
      ),
    }),
  ])
  .meta({ id: "ToolCall" });

/** The members with the thinking of a turn, which clients send back. A turn may have nothing else. */
export const thinkingMembers = ["reasoning_content", "reasoning", "reasoning_details"] as const;

const system = { content: content(parts(textPart)), name };
const message = z
  .discriminatedUnion("role", [
    z.looseObject({ role: z.literal("system"), ...system }),
    z.looseObject({ role: z.literal("developer"), ...system }),
    z.looseObject({
      role: z.literal("user"),
      content: content(parts<UserPart>(textPart, imagePart, userFilePart, userAudioPart)),
      name,
    }),
    z
      .looseObject({
        role: z.literal("assistant"),
        content: content(
          parts<typeof textPart | typeof refusalPart>(textPart, refusalPart),
        ).nullish(),
        refusal: text.nullish(),
        // Some providers send an empty array, and clients send it back.
        tool_calls: listOf(toolCall, "must be an array of tool calls").nullish(),
        name,
      })
      .refine(
        ({ content, tool_calls, refusal, ...others }) =>
          // Null is what a response has whose thinking used up the output limit.
          content !== undefined ||
          tool_calls?.length ||
          refusal != null ||
          thinkingMembers.some((name) => others[name] != null),
        { error: "is required without tool_calls", path: ["content"] },
      )
      .meta({
        anyOf: [
          isPresent("content", {}),
          isPresent("tool_calls", { type: "array", minItems: 1 }),
          isPresent("refusal"),
          ...thinkingMembers.map((name) => isPresent(name)),
        ],
      }),
    z.looseObject({
      role: z.literal("tool"),
      content: content(parts<typeof textPart | typeof imagePart>(textPart, imagePart)),
      tool_call_id: text,
    }),
  ])
  .meta({ id: "ChatMessage" });

/** Returns the JSON Schema of a message that has the field. */
function isPresent(field: string, schema: object = { not: { type: "null" } }) {
  return { required: [field], properties: { [field]: schema } };
}

const object = mapOf(z.unknown(), "must be an object");
const unsupported = z
  .never({ error: "is not supported: leave it out" })
  .describe("Not supported.")
  .optional();
const seed = "must be an integer that fits in 64 bits";
const uuid = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

export const streamOptionsSchema = z.strictObject(
  { include_usage: boolean.nullable().describe("Accepted. The usage is always reported.") },
  { error: "must be an object" },
);

const named = z.looseObject({ name: toolName }, { error: "must be an object with a name" });

/** A tool of another type is the provider's own, which a model must allow. */
const tool = z
  .looseObject({ type: text }, { error: "must be an object with a type" })
  .superRefine((tool, context) => {
    if (tool.type !== "function" && tool.type !== "custom") return;
    const { error } = named.safeParse(tool[tool.type], { error: describeIssue });
    for (const issue of error?.issues ?? []) {
      const path = [tool.type, ...issue.path];
      context.addIssue({ ...issue, path } as z.core.$ZodSuperRefineIssue);
    }
  })
  .meta({ allOf: ["function", "custom"].map(requiresName) });

/** Returns the JSON Schema of a tool whose type names the member that has its name. */
function requiresName(type: string) {
  const name = { type: "string", minLength: 1 };
  return {
    if: { properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      required: [type],
      properties: {
        [type]: {
          type: "object",
          required: ["name"],
          properties: { name },
          additionalProperties: {},
        },
      },
    },
  };
}

const chatFields = {
  model: alias,
  messages: listOf(message, "must be an array of messages")
    .min(1, "must not be empty")
    .describe("The messages of the chat. With a `session_id`, only those of the new turn."),
  stream: boolean.describe("Whether to stream the response as server-sent events."),
  max_completion_tokens: integerFrom(1).describe("The maximum number of tokens to generate."),
  max_tokens: integerFrom(1).describe("The older name of `max_completion_tokens`."),
  temperature: numberFrom(0, 2).describe(
    "The sampling temperature. Higher values make the output more random.",
  ),
  top_p: numberFrom(0, 1).describe("Sample from the tokens that make up this probability mass."),
  top_k: integerFrom(-1).describe("Sample from this number of the most likely tokens."),
  min_p: numberFrom(0, 1).describe(
    "The minimum probability of a token, relative to the most likely one.",
  ),
  frequency_penalty: numberFrom(-2, 2).describe(
    "Penalizes tokens by how often they occurred already.",
  ),
  presence_penalty: numberFrom(-2, 2).describe("Penalizes tokens that occurred already."),
  stop: z
    .union([text, listOf(text, "must be an array of strings")], {
      error: "must be a string or an array of strings",
    })
    .describe("One or more sequences at which the model stops.")
    .optional(),
  seed: z
    .number({ error: seed })
    .min(-(2 ** 63), seed)
    .max(2 ** 64, seed)
    .refine(Number.isInteger, seed)
    .meta({ type: "integer", description: "A seed of up to 64 bits, for repeatable sampling." })
    .optional(),
  n: integerFrom(1, 128).describe("The number of choices. Must be 1 in a conversation."),
  logit_bias: mapOf(z.number().nullable(), "must be an object of numbers by token id")
    .describe("A bias by token id.")
    .optional(),
  user: text.describe("An identifier of your end user, sent to the provider.").optional(),
  parallel_tool_calls: boolean.describe("Whether the model may call several tools at once."),
  tools: listOf(tool, "must be an array of objects")
    .describe(
      "The tools that the model may call: functions and custom tools. Other types must be allowed for the alias.",
    )
    .optional(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), object], {
      error: 'must be "none", "auto", "required" or an object that names a tool',
    })
    .describe("Whether the model calls a tool, or the tool that it must call.")
    .optional(),
  response_format: object.describe("The format of the model's output.").optional(),
  reasoning_effort: z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])
    .describe("How much the model reasons before its output.")
    .optional(),
  stream_options: streamOptionsSchema.describe("Options of a streamed response.").optional(),
  metadata: object.describe("Key-value pairs, sent to the provider.").optional(),
  logprobs: boolean.describe("Whether to return the log probabilities of the output tokens."),
  top_logprobs: integerFrom(0, 20).describe(
    "The number of most likely tokens to return at each position.",
  ),
  session_id: text
    .regex(uuid, "must be a UUID")
    .describe("The UUID of the conversation. An unknown UUID starts a new one.")
    .optional(),
  store: unsupported,
  service_tier: unsupported,
} satisfies Record<ChatMember, z.ZodType>;

export const chatCompletionsSchema = z.strictObject(chatFields).meta({
  additionalProperties: {
    description: "Rejected with `unknown_param`, unless the alias takes this member.",
  },
});
