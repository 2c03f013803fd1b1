import { GatewayError } from "@tollgate/core/errors";
import { z } from "zod";
import { rateLimitNames } from "../../openapi/headers.ts";
import type { Operation } from "../../openapi/operation.ts";
import { responseEventsExample, responseExample } from "./examples.ts";
import { responseEventSchema, responseObjectSchema } from "./response-schema.ts";
import { responsesSchema } from "./schema.ts";

export const createResponseOperation: Operation = {
  id: "createResponse",
  tag: "Agents",
  summary: "Create a response",
  description:
    "OpenAI's Responses API without stored responses, for all chat models. A provider that speaks " +
    "it is sent the request as it is, and so is the client the response, apart from the name of " +
    "the model and the output limit. For other providers the request is translated; a member that " +
    "cannot be translated is rejected by name.\n\n" +
    "Members and types that the documentation does not list are rejected by name. What costs more " +
    "than tokens, such as tools that the provider runs, is accepted where the model allows it.\n\n" +
    "With `stream`, the response is a stream of server-sent events in the order of OpenAI's API. " +
    "A stream that fails ends with a `response.failed` event.",
  body: {
    kind: "json",
    name: "ResponsesRequest",
    schemas: [responsesSchema],
    example: { model: "demo-small", input: "Hello" },
  },
  headers: rateLimitNames,
  responses: {
    200: {
      description: "The response, complete or as a stream.",
      content: {
        "application/json": {
          ...{ name: "Response", schema: responseObjectSchema, example: responseExample },
        },
        "text/event-stream": {
          schema: z.string(),
          example: responseEventsExample,
          event: { name: "ResponseEvent", schema: responseEventSchema },
        },
      },
    },
  },
  errors: ["context_length_exceeded"],
  ownErrors: {
    context_length_exceeded: new GatewayError(
      "context_length_exceeded",
      "The prompt is too long for the model.",
      { param: "input" },
    ),
  },
};
