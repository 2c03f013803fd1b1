import { z } from "zod";
import { requestId, unixSeconds, usd } from "../../openapi/response-fields.ts";
import { usageSchema } from "../chat-completions/response-schema.ts";
import type { QueryParameter } from "../route-rules.ts";

export const defaultLimit = 25;
export const maxLimit = 100;

export const pageQuery: readonly QueryParameter[] = [
  {
    name: "limit",
    description: `The page size, up to ${maxLimit}. An invalid value is corrected.`,
    schema: { type: "integer", default: defaultLimit },
  },
  {
    name: "offset",
    description: "The number of conversations to skip. An invalid value is corrected.",
    schema: { type: "integer", default: 0 },
  },
];

export const conversationSummarySchema = z
  .object({
    id: z.string().describe("The `session_id` of the conversation's requests."),
    object: z.literal("conversation"),
    created_at: unixSeconds,
    last_active_at: unixSeconds,
    model: z.string().describe("The alias of the last turn."),
    turn_count: z.int(),
  })
  .meta({ id: "Conversation" });

export const listSchema = z.object({
  object: z.literal("list"),
  data: z.array(conversationSummarySchema),
  total: z.int().describe("The number of conversations on all pages."),
  limit: z.int().describe("The page size that was used."),
  offset: z.int().describe("The offset that was used."),
});

export const costsSchema = z.object({
  currency: z.literal("USD"),
  total_cost: usd.describe("The cost of all items in USD, including those that are left out."),
  items: z
    .array(
      z.object({
        request_id: requestId,
        model: z.string(),
        unit_type: z.string(),
        quantity: z.number(),
        cost: usd,
        lines: z
          .array(
            z.object({
              dimension: z.string().describe("What was used, such as `input` or `output`."),
              quantity: z.number(),
              cost: z.unknown().meta({
                type: "number",
                description: "Amount in US dollars, with nine decimals.",
              }),
            }),
          )
          .describe("What was used. The costs sum to the cost of all, charged or not."),
        created_at: unixSeconds,
      }),
    )
    .describe("The newest 10,000 items, oldest first."),
  has_more: z.boolean().describe("Whether older items are left out."),
});

const turnSchema = z.object({
  index: z.int().describe("The position of the turn, from 0."),
  messages: z.array(z.looseObject({})).describe("The messages of the turn's request."),
  response: z.looseObject({}).describe("The assistant's message."),
  model: z.string(),
  request_id: requestId,
  created_at: unixSeconds,
  usage: usageSchema,
});

export const detailSchema = conversationSummarySchema
  .extend({
    turns: z.array(turnSchema).describe("The turns in order."),
    cost_summary: costsSchema.describe("The cost of the turns, from the ledger."),
  })
  .meta({ id: "ConversationDetail" });
