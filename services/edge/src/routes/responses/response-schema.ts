import { z } from "zod";
import { tokens, unixSeconds } from "../../openapi/response-fields.ts";

/** Responses of the Responses API: the provider's, with our alias. */

const usage = z
  .looseObject({ input_tokens: tokens, output_tokens: tokens, total_tokens: tokens })
  .nullish();

export const responseObjectSchema = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: unixSeconds,
  status: z.string(),
  model: z.string().describe("The alias in the request."),
  output: z.array(z.looseObject({ type: z.string() })),
  usage,
});

export const responseEventSchema = z
  .looseObject({ type: z.string(), sequence_number: z.int() })
  .describe(
    "The events of OpenAI's API, from `response.created` to `response.completed`, " +
      "`response.incomplete` or `response.failed`.",
  );
