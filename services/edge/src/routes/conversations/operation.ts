import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { jsonResponseDoc, type Operation, type Parameter } from "../../openapi/operation.ts";
import { conversationExample, conversationsExample } from "./examples.ts";
import { detailSchema, listSchema } from "./schema.ts";

const id: Parameter = {
  in: "path",
  name: "id",
  description: "The UUID of the conversation: the `session_id` of its requests.",
  required: true,
  schema: { type: "string" },
};

const unknownConversation = new GatewayError(
  "conversation_not_found",
  "This conversation does not exist.",
);

export const listConversationsOperation: Operation = {
  id: "listConversations",
  tag: "Conversations",
  summary: "List conversations",
  description:
    "Returns the key's conversations, the most recently active first. Deleted conversations are " +
    "not included.",
  responses: {
    200: jsonResponseDoc(
      "ConversationList",
      listSchema,
      "A page of conversations.",
      conversationsExample,
    ),
  },
  ownErrors: { invalid_param: invalidParam("limit", "must be sent once") },
};

export const deleteConversationsOperation: Operation = {
  id: "deleteConversations",
  tag: "Conversations",
  summary: "Delete all conversations",
  description:
    "Deletes the contents of all the key's conversations permanently. Their ledger entries remain.",
  responses: { 204: { description: "The conversations are deleted." } },
};

export const getConversationOperation: Operation = {
  id: "getConversation",
  tag: "Conversations",
  summary: "Get a conversation",
  description: "Returns the turns of a conversation in order, and their cost.",
  parameters: [id],
  responses: {
    200: jsonResponseDoc(
      "ConversationDetail",
      detailSchema,
      "The conversation.",
      conversationExample,
    ),
  },
  errors: ["conversation_not_found"],
  ownErrors: { conversation_not_found: unknownConversation },
};

export const deleteConversationOperation: Operation = {
  id: "deleteConversation",
  tag: "Conversations",
  summary: "Delete a conversation",
  description:
    "Deletes the contents of a conversation permanently. Its id cannot be used again. Deleting it " +
    "again has no effect.",
  parameters: [id],
  responses: { 204: { description: "The conversation is deleted." } },
  errors: ["conversation_not_found"],
  ownErrors: { conversation_not_found: unknownConversation },
};
