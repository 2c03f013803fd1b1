import { z } from "zod";
import { tokens, unixSeconds, usd } from "../openapi/answer-fields.ts";

/** What chat answers look like: the provider's, with what the gateway sets in them. */

const details = z.looseObject({}).describe("The provider's own breakdown.").optional();

export const usageSchema = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_tokens_details: details,
    completion_tokens_details: details,
    cost: usd.describe("What the wallet was charged: US dollars, to six decimals."),
  })
  .meta({ id: "ChatUsage" });

const common = {
  id: z.string(),
  created: unixSeconds,
  model: z.string().describe("The alias that was asked."),
  session_id: z.string().optional().describe("As sent, where it was."),
};

export const completionSchema = z.looseObject({
  ...common,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.string(), content: z.string().nullable().optional() }),
      finish_reason: z.string().nullable().optional(),
    }),
  ),
  usage: usageSchema,
});

export const chunkSchema = z.looseObject({
  ...common,
  object: z.literal("chat.completion.chunk"),
  choices: z
    .array(z.looseObject({ index: z.int(), delta: z.looseObject({}) }))
    .describe("Empty on the last chunk before the end."),
  usage: usageSchema.optional().describe("On the last chunk alone."),
});
