import { z } from "zod";
import { alias, boolean, integerFrom, numberFrom, text } from "./fields.ts";

/** The fields of a chat request, each checked as far as the contract speaks of it. */

const textPart = z.looseObject({ type: z.literal("text"), text });
const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: text });
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({
    url: text.regex(/^(https?:\/\/|data:image\/)/i, "must be an http, https or data:image URL"),
    detail: z.enum(["auto", "low", "high"], { error: "must be auto, low or high" }).optional(),
  }),
});

function parts<Part extends z.core.$ZodTypeDiscriminable>(first: Part, ...others: Part[]) {
  const part = z.discriminatedUnion("type", [first, ...others], {
    error: "is not a content part that this message takes",
  });
  return z.array(part).min(1, "must not be empty");
}

function content<Parts extends z.ZodType>(allowed: Parts) {
  return z.union([text, allowed], { error: "must be a string or an array of content parts" });
}

const name = text.optional();
const toolCall = z.looseObject({
  id: text,
  type: z.literal("function", { error: "must be function" }),
  function: z.looseObject({ name: text.min(1, "must not be empty"), arguments: text }),
});

const system = { content: content(parts(textPart)), name };
const message = z.discriminatedUnion(
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
        tool_calls: z.array(toolCall).min(1, "must not be empty").nullable().optional(),
        name,
      })
      .refine((said) => said.content != null || said.tool_calls != null || said.refusal != null, {
        error: "is required where there are no tool_calls",
        path: ["content"],
      }),
    z.looseObject({
      role: z.literal("tool"),
      content: content(parts(textPart)),
      tool_call_id: text,
    }),
  ],
  { error: "must be system, developer, user, assistant or tool" },
);

const object = z.record(z.string(), z.unknown(), { error: "must be an object" });
const unsupported = z.never({ error: "is not supported" }).optional();
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const streamOptionsSchema = z.strictObject(
  { include_usage: boolean },
  { error: "must be an object" },
);

export const chatSchema = z.strictObject({
  model: alias,
  messages: z.array(message, { error: "must be an array of messages" }).min(1, "must not be empty"),
  stream: boolean,
  max_completion_tokens: integerFrom(1),
  max_tokens: integerFrom(1),
  temperature: numberFrom(0, 2),
  top_p: numberFrom(0, 1),
  top_k: integerFrom(-1),
  min_p: numberFrom(0, 1),
  frequency_penalty: numberFrom(-2, 2),
  presence_penalty: numberFrom(-2, 2),
  stop: z
    .union([text, z.array(text)], { error: "must be a string or an array of strings" })
    .optional(),
  seed: z.int({ error: "must be a whole number" }).optional(),
  n: integerFrom(1, 128),
  logit_bias: z
    .record(z.string(), z.number({ error: "must be a number" }), { error: "must be an object" })
    .optional(),
  user: text.optional(),
  parallel_tool_calls: boolean,
  tools: z
    .array(z.looseObject({ type: text }, { error: "must be an object" }), {
      error: "must be an array of objects",
    })
    .optional(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), object], {
      error: "must be none, auto, required or a named tool",
    })
    .optional(),
  response_format: object.optional(),
  reasoning_effort: z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"], {
      error: "must be none, minimal, low, medium, high, xhigh or max",
    })
    .optional(),
  stream_options: streamOptionsSchema.optional(),
  metadata: object.optional(),
  logprobs: boolean,
  top_logprobs: integerFrom(0, 20),
  session_id: text.regex(uuid, "must be a UUID").optional(),
  store: unsupported,
  service_tier: unsupported,
});
