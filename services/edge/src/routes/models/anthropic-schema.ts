import { z } from "zod";

/** A client that sends this header speaks Anthropic's API. */
export const versionHeader = "anthropic-version";

export const anthropicModelSchema = z
  .object({
    type: z.literal("model"),
    id: z.string().describe("The alias, for the `model` field of requests."),
    display_name: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "AnthropicModel" });

export const anthropicListSchema = z
  .object({
    data: z.array(anthropicModelSchema),
    has_more: z.boolean().describe("Whether there are more in the direction of the page."),
    first_id: z.string().nullable().describe("For `before_id`."),
    last_id: z.string().nullable().describe("For `after_id`."),
  })
  .meta({ id: "AnthropicModelList" });
