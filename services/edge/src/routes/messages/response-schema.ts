import { z } from "zod";
import { tokens } from "../../openapi/response-fields.ts";

/** Responses of the Messages API: the provider's, with our alias. */

const usage = z.looseObject({
  input_tokens: tokens.describe("The tokens of the prompt, without those of the cache."),
  output_tokens: tokens,
});

export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string().describe("The alias in the request."),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullish(),
  usage,
});

/** The types of events, in the order of Anthropic's API. */
export const messageEventSchema = z
  .looseObject({ type: z.string() })
  .describe(
    "`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, " +
      "`message_delta`, `message_stop` and `ping`.",
  );

export const tokenCountSchema = z.looseObject({
  input_tokens: tokens.describe("The tokens of the prompt."),
});
