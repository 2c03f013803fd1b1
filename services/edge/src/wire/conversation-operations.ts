import { z } from "zod";
import { requestId, unixSeconds, usd } from "../openapi/answer-fields.ts";
import { jsonAnswer, type Operation, type Parameter } from "../openapi/operation.ts";
import { usageSchema } from "./chat-answers.ts";

export const defaultLimit = 25;
export const maxLimit = 100;

export const conversationSchema = z
  .object({
    id: z.string().describe("The `session_id` of its requests."),
    object: z.literal("conversation"),
    created_at: unixSeconds,
    last_active_at: unixSeconds,
    model: z.string().describe("The alias that its last turn was answered by."),
    turn_count: z.int(),
  })
  .meta({ id: "Conversation" });

export const listSchema = z.object({
  object: z.literal("list"),
  data: z.array(conversationSchema),
  total: z.int().describe("How many there are, on all pages."),
  limit: z.int().describe("The page's size, as it was taken."),
  offset: z.int(),
});

export const costsSchema = z.object({
  currency: z.literal("USD"),
  total_cost: usd,
  items: z.array(
    z.object({
      request_id: requestId,
      model: z.string(),
      unit_type: z.string(),
      quantity: z.number(),
      cost: usd,
      created_at: unixSeconds,
    }),
  ),
});

const turnSchema = z.object({
  index: z.int().describe("From 0."),
  messages: z.array(z.looseObject({})).describe("The messages as the turn's request sent them."),
  response: z.looseObject({}).describe("The assistant's message."),
  model: z.string(),
  request_id: requestId,
  created_at: unixSeconds,
  usage: usageSchema,
});

const detailSchema = conversationSchema
  .extend({
    turns: z.array(turnSchema).describe("In the order in which they were said."),
    cost_summary: costsSchema.describe("What the ledger says that they cost."),
  })
  .meta({ id: "ConversationDetail" });

const id: Parameter = {
  in: "path",
  name: "id",
  description: "The conversation's UUID: the `session_id` of its requests.",
  required: true,
  schema: { type: "string" },
};
const corrected = "What cannot be used is corrected, and never refused.";

export const listConversationsOperation: Operation = {
  id: "listConversations",
  tag: "Conversations",
  summary: "List conversations",
  about: "Those of the key, the most recently active first; deleted ones are not among them.",
  access: "key",
  parameters: [
    {
      in: "query",
      name: "limit",
      description: `How many to a page, ${maxLimit} at most. ${corrected}`,
      schema: { type: "integer", default: defaultLimit },
    },
    {
      in: "query",
      name: "offset",
      description: `How many to pass over. ${corrected}`,
      schema: { type: "integer", default: 0 },
    },
  ],
  answers: { 200: jsonAnswer("ConversationList", listSchema, "A page of them.") },
};

export const deleteConversationsOperation: Operation = {
  id: "deleteConversations",
  tag: "Conversations",
  summary: "Delete all conversations",
  about: "All of the key's. Contents are removed for ever; what they cost stays in the ledger.",
  access: "key",
  answers: { 204: { about: "They are gone." } },
};

export const getConversationOperation: Operation = {
  id: "getConversation",
  tag: "Conversations",
  summary: "Read a conversation",
  about: "Its turns in their order, and what they cost.",
  access: "key",
  parameters: [id],
  answers: { 200: jsonAnswer("ConversationDetail", detailSchema, "The whole conversation.") },
  errors: ["conversation_not_found"],
};

export const deleteConversationOperation: Operation = {
  id: "deleteConversation",
  tag: "Conversations",
  summary: "Delete a conversation",
  about: "Its contents are removed for ever, and its id cannot be used again.",
  access: "key",
  parameters: [id],
  answers: { 204: { about: "It is gone, now or since before." } },
  errors: ["conversation_not_found"],
};
