import { z } from "zod";
import { replayedOperation } from "../../openapi/billable-operation.ts";
import { rateLimitNames } from "../../openapi/headers.ts";
import { jsonResponse, type Operation, type Parameter } from "../../openapi/operation.ts";
import { messagesErrorForm } from "./error-form.ts";
import { messageEventSchema, messageSchema, tokenCountSchema } from "./response-schema.ts";
import { countTokensSchema, messagesSchema } from "./schema.ts";

const beta: Parameter = {
  in: "query",
  name: "beta",
  description: "Accepted: clients add it to requests of their beta namespace.",
  schema: { type: "string" },
};
const example = {
  model: "demo-small",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
};

export const createMessageOperation = replayedOperation({
  id: "createMessage",
  tag: "Agents",
  summary: "Create a message",
  description:
    "Anthropic's Messages API, for all chat models. A provider of Anthropic's API is sent the " +
    "request as it is, and so is the client the response, apart from the name of the model and an " +
    "output limit that the wallet cannot pay. For other providers the request is translated; a " +
    "member that cannot be translated is rejected by name.\n\n" +
    "With `stream`, the response is a stream of server-sent events in the order of Anthropic's " +
    "API. A stream that fails ends with an `error` event.",
  parameters: [beta],
  body: { kind: "json", name: "MessagesRequest", schemas: [messagesSchema], example },
  headers: rateLimitNames,
  response: {
    description: "The message, complete or as a stream.",
    content: {
      "application/json": { name: "Message", schema: messageSchema },
      "text/event-stream": {
        schema: z.string(),
        event: { name: "MessageEvent", schema: messageEventSchema },
      },
    },
  },
  errors: ["context_length_exceeded"],
  errorForm: messagesErrorForm,
});

const { max_tokens: _, ...countExample } = example;

export const countMessageTokensOperation: Operation = {
  id: "countMessageTokens",
  tag: "Agents",
  summary: "Count the tokens of a message",
  description:
    "Counts the tokens of a prompt before it is sent. It costs nothing. A provider of Anthropic's " +
    "API counts them; for other models the number is an estimate of four characters a token.",
  parameters: [beta],
  body: {
    kind: "json",
    name: "CountTokensRequest",
    schemas: [countTokensSchema],
    example: countExample,
  },
  responses: { 200: jsonResponse("TokenCount", tokenCountSchema, "The number of tokens.") },
  errors: [
    "invalid_json",
    "unknown_param",
    "invalid_param",
    "credit_balance_exhausted",
    "model_not_found",
    "upstream_rejected",
    "no_provider_available",
  ],
  errorForm: messagesErrorForm,
};
