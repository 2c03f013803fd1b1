import { z } from "zod";
import { rateLimitNames } from "../../openapi/headers.ts";
import type { Operation } from "../../openapi/operation.ts";
import { chunksExample, completionExample } from "./examples.ts";
import { chunkSchema, completionSchema } from "./response-schema.ts";
import { chatCompletionsSchema } from "./schema.ts";

export const createChatCompletionOperation: Operation = {
  id: "createChatCompletion",
  tag: "Chat",
  summary: "Create a chat completion",
  description:
    "With `stream`, the response is a stream of server-sent events, each with a " +
    "`ChatCompletionChunk`. The last event before `[DONE]` has no choices and reports the usage, " +
    "whether or not it was requested. A stream that fails ends with an event that contains an " +
    "error, and without `[DONE]`.\n\n" +
    "With a `session_id`, send only the new turn: the gateway stores the earlier turns and adds " +
    "them to the request. A conversation can hold up to 32 MiB; a turn that exceeds this is " +
    "rejected like one that exceeds the model's context. `store` and `service_tier` are not " +
    "supported.\n\nThe content of a user's message may have files and audio, where the model's entry in " +
    "the catalog has them as `inputs`. A conversation stores neither.\n\nA model may take further members, which its entry in the catalog names in " +
    "`passes`. They are sent to the provider unchanged. All others are rejected with `unknown_param`.",
  body: {
    kind: "json",
    name: "ChatRequest",
    schemas: [chatCompletionsSchema],
    example: { model: "demo-small", messages: [{ role: "user", content: "Hello" }] },
  },
  headers: rateLimitNames,
  responses: {
    200: {
      description: "The completion, complete or as a stream.",
      content: {
        "application/json": {
          ...{ name: "ChatCompletion", schema: completionSchema, example: completionExample },
        },
        "text/event-stream": {
          schema: z.string(),
          example: chunksExample,
          event: { name: "ChatCompletionChunk", schema: chunkSchema },
        },
      },
    },
  },
  errors: ["context_length_exceeded", "sessions_unavailable", "conversation_not_found"],
};
