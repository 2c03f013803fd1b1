import { z } from "zod";
import { alias, boolean, integerFrom, numberFrom, text } from "./fields.ts";
import { listOf, mapOf } from "./lists.ts";

/**
 * The fields of a chat request, each checked as far as the contract speaks of it. Patterns have no
 * flags, since they become JSON Schema, which knows none.
 */

const imageUrl = /^([hH][tT][tT][pP][sS]?:\/\/|[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]\/)/;

const textPart = z.looseObject({ type: z.literal("text"), text }).meta({ id: "TextPart" });
const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: text });
const imagePart = z
  .looseObject({
    type: z.literal("image_url"),
    image_url: z.looseObject({
      url: text.regex(imageUrl, "must be an http, https or data:image URL"),
      detail: z.enum(["auto", "low", "high"], { error: "must be auto, low or high" }).optional(),
    }),
  })
  .meta({ id: "ImagePart" });

function parts<Part extends z.core.$ZodTypeDiscriminable>(first: Part, ...others: Part[]) {
  const part = z.discriminatedUnion("type", [first, ...others], {
    error: "is not a content part that this message takes",
  });
  return listOf(part, "must be an array of content parts").min(1, "must not be empty");
}

function content<Parts extends z.ZodType>(allowed: Parts) {
  return z.union([text, allowed], { error: "must be a string or an array of content parts" });
}

const name = text.optional();
const toolCall = z
  .looseObject({
    id: text,
    type: z.literal("function", { error: "must be function" }),
    function: z.looseObject({ name: text.min(1, "must not be empty"), arguments: text }),
  })
  .meta({ id: "ToolCall" });

const system = { content: content(parts(textPart)), name };
const message = z
  .discriminatedUnion(
    "role",
    [
      z.looseObject({ role: z.literal("system"), ...system }),
      z.looseObject({ role: z.literal("developer"), ...system }),
      z.looseObject({
        role: z.literal("user"),
        content: content(parts<typeof textPart | typeof imagePart>(textPart, imagePart)),
        name,
      }),
      z
        .looseObject({
          role: z.literal("assistant"),
          content: content(parts<typeof textPart | typeof refusalPart>(textPart, refusalPart))
            .nullable()
            .optional(),
          refusal: text.nullable().optional(),
          // Some providers write the array also where they call nothing, and clients send it back.
          tool_calls: listOf(toolCall, "must be an array").nullable().optional(),
          name,
        })
        .refine(
          ({ content, tool_calls, refusal }) =>
            content != null || tool_calls?.length || refusal != null,
          { error: "is required where there are no tool_calls", path: ["content"] },
        )
        .meta({
          anyOf: [
            isSaid("content"),
            isSaid("tool_calls", { type: "array", minItems: 1 }),
            isSaid("refusal"),
          ],
        }),
      z.looseObject({
        role: z.literal("tool"),
        content: content(parts(textPart)),
        tool_call_id: text,
      }),
    ],
    { error: "must be system, developer, user, assistant or tool" },
  )
  .meta({ id: "ChatMessage" });

/** In JSON Schema: the message has something under that name. */
function isSaid(field: string, schema: object = { not: { type: "null" } }) {
  return { required: [field], properties: { [field]: schema } };
}

const object = mapOf(z.unknown(), "must be an object");
const unsupported = z.never({ error: "is not supported" }).optional();
const uuid = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

export const streamOptionsSchema = z.strictObject(
  { include_usage: boolean.describe("Taken; the usage is told in any case.") },
  { error: "must be an object" },
);

export const chatSchema = z.strictObject({
  model: alias,
  messages: listOf(message, "must be an array of messages")
    .min(1, "must not be empty")
    .describe("What was said; in a conversation, the new turn alone."),
  stream: boolean.describe("Whether to answer as server-sent events."),
  max_completion_tokens: integerFrom(1).describe("The most tokens that an answer may have."),
  max_tokens: integerFrom(1).describe("An older name of `max_completion_tokens`."),
  temperature: numberFrom(0, 2).describe("How freely tokens are chosen."),
  top_p: numberFrom(0, 1).describe("The share of likely tokens that are chosen from."),
  top_k: integerFrom(-1).describe("The number of likely tokens that are chosen from."),
  min_p: numberFrom(0, 1).describe("How likely a token must be, beside the likeliest."),
  frequency_penalty: numberFrom(-2, 2).describe("Against tokens, by how often they came."),
  presence_penalty: numberFrom(-2, 2).describe("Against tokens that came at all."),
  stop: z
    .union([text, listOf(text, "must be an array of strings")], {
      error: "must be a string or an array of strings",
    })
    .describe("Where the answer ends, when it gets there.")
    .optional(),
  seed: z
    .number({ error: "must be a whole number" })
    .min(-(2 ** 63), "must be of 64 bits")
    .max(2 ** 64, "must be of 64 bits")
    .refine(Number.isInteger, "must be a whole number")
    .meta({ type: "integer", description: "For answers that repeat; of 64 bits, too." })
    .optional(),
  n: integerFrom(1, 128).describe("How many answers; one in a conversation."),
  logit_bias: mapOf(z.number({ error: "must be a number" }), "must be an object")
    .describe("Weights of tokens by their ids.")
    .optional(),
  user: text.describe("Who is asking, for the provider.").optional(),
  parallel_tool_calls: boolean.describe("Whether tools may be called several at once."),
  tools: listOf(
    z.looseObject({ type: text }, { error: "must be an object" }),
    "must be an array of objects",
  )
    .describe("The tools that the model may call.")
    .optional(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), object], {
      error: "must be none, auto, required or a named tool",
    })
    .describe("Whether to call a tool, or which.")
    .optional(),
  response_format: object.describe("The form of the answer.").optional(),
  reasoning_effort: z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"], {
      error: "must be none, minimal, low, medium, high, xhigh or max",
    })
    .describe("How long to think.")
    .optional(),
  stream_options: streamOptionsSchema.describe("How to stream.").optional(),
  metadata: object.describe("Notes for the provider.").optional(),
  logprobs: boolean.describe("Whether to tell how likely tokens were."),
  top_logprobs: integerFrom(0, 20).describe("How many likely tokens to tell at each place."),
  session_id: text
    .regex(uuid, "must be a UUID")
    .describe("The conversation that goes on; an unknown UUID begins one.")
    .optional(),
  store: unsupported,
  service_tier: unsupported,
});
