import { z } from "zod";
import { tokens, unixSeconds, usd } from "../../openapi/response-fields.ts";

/** Chat responses: the provider's, with the fields that the gateway sets in them. */

const details = z.looseObject({}).describe("The provider's breakdown of the tokens.").optional();

export const usageSchema = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_tokens_details: details,
    completion_tokens_details: details,
    cost: usd.describe("The amount charged to the wallet in US dollars, with up to six decimals."),
  })
  .meta({ id: "ChatUsage" });

const common = {
  id: z.string(),
  created: unixSeconds,
  model: z.string().describe("The alias in the request."),
  session_id: z.string().optional().describe("The `session_id` in the request, if it had one."),
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
    .describe("Empty in the last chunk."),
  usage: usageSchema.optional().describe("In the last chunk only."),
});
