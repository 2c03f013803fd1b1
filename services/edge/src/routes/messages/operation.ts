import { GatewayError } from "@tollgate/core/errors";
import { z } from "zod";
import { rateLimitNames } from "../../openapi/headers.ts";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { messageEventsExample, messageExample } from "./examples.ts";
import { messageEventSchema, messageSchema, tokenCountSchema } from "./response-schema.ts";
import { countTokensSchema, messagesSchema } from "./schema.ts";

const example = {
  model: "demo-small",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
};

export const createMessageOperation: Operation = {
  id: "createMessage",
  tag: "Agents",
  summary: "Create a message",
  description:
    "Anthropic's Messages API, for all chat models. A provider of Anthropic's API is sent the " +
    "request as it is, and so is the client the response, apart from the name of the model, an " +
    "output limit that the wallet cannot pay, and the `service_tier`. For other providers the " +
    "request is translated; a member that cannot be translated is rejected by name.\n\n" +
    "Members and types that the documentation does not list are rejected by name. What costs more " +
    "than tokens, such as tools that the provider runs, is accepted where the model allows it. Of " +
    "`anthropic-beta`, unknown betas are ignored.\n\n" +
    "With `stream`, the response is a stream of server-sent events in the order of Anthropic's " +
    "API. A stream that fails ends with an `error` event.",
  body: { kind: "json", name: "MessagesRequest", schemas: [messagesSchema], example },
  headers: rateLimitNames,
  responses: {
    200: {
      description: "The message, complete or as a stream.",
      content: {
        "application/json": { name: "Message", schema: messageSchema, example: messageExample },
        "text/event-stream": {
          schema: z.string(),
          example: messageEventsExample,
          event: { name: "MessageEvent", schema: messageEventSchema },
        },
      },
    },
  },
  errors: ["context_length_exceeded"],
  ownErrors: {
    context_length_exceeded: new GatewayError(
      "context_length_exceeded",
      "prompt is too long: 208310 tokens > 200000 maximum",
      { param: "messages" },
    ),
  },
};

const { max_tokens: _, ...countExample } = example;

export const countMessageTokensOperation: Operation = {
  id: "countMessageTokens",
  tag: "Agents",
  summary: "Count the tokens of a message",
  description:
    "Counts the tokens of a prompt before it is sent. It costs nothing. A provider of Anthropic's " +
    "API counts them; for other models the number is an estimate of four characters a token.",
  body: {
    kind: "json",
    name: "CountTokensRequest",
    schemas: [countTokensSchema],
    example: countExample,
  },
  responses: {
    200: jsonResponseDoc("TokenCount", tokenCountSchema, "The number of tokens.", {
      input_tokens: 2,
    }),
  },
};
