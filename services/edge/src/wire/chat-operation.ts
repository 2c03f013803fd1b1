import { z } from "zod";
import { replayedOperation } from "../openapi/billable-operation.ts";
import { rateLimitNames } from "../openapi/headers.ts";
import { chunkSchema, completionSchema } from "./chat-answers.ts";
import { chatSchema } from "./chat-schema.ts";

export const chatCompletionsOperation = replayedOperation({
  id: "createChatCompletion",
  tag: "Chat",
  summary: "Create a chat completion",
  about:
    "With `stream` the answer comes as server-sent events; the last of them before `[DONE]` has " +
    "no choices and tells the usage, asked for or not. A stream that breaks ends with one event " +
    "that holds an error, and without `[DONE]`.\n\n" +
    "With a `session_id` only the new turn is sent: the gateway stores the turns before, and " +
    "puts them in front. A conversation holds up to 32 MiB; a turn with which it would be larger " +
    "is refused like one that its model cannot read. `store` and `service_tier` are not " +
    "supported, whatever their value.",
  body: {
    kind: "json",
    name: "ChatRequest",
    schemas: [chatSchema],
    example: { model: "demo-small", messages: [{ role: "user", content: "Hello" }] },
  },
  headers: rateLimitNames,
  answer: {
    about: "The answer, whole or as a stream.",
    content: {
      "application/json": { name: "ChatCompletion", schema: completionSchema },
      "text/event-stream": {
        schema: z.string(),
        event: { name: "ChatCompletionChunk", schema: chunkSchema },
      },
    },
  },
  errors: [
    "context_length_exceeded",
    "sessions_unavailable",
    "conversation_not_found",
    "rate_limited",
  ],
});
