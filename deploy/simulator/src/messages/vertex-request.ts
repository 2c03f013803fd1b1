import { z } from "zod";
import { messagesRequest } from "./request.ts";

/** The members that Vertex AI does not take of Anthropic's. */
const unknown = ["model", "output_config", "output_format"];

/**
 * Returns the schema of a message to Claude on Vertex AI, which has the model in its path and the version in its
 * body: https://docs.claude.com/en/api/claude-on-vertex-ai
 */
export function vertexMessagesRequest(model: string) {
  return z
    .looseObject({ anthropic_version: z.literal("vertex-2023-10-16") })
    .superRefine((body, context) => {
      const found = unknown.find((name) => name in body);
      if (found === undefined) return;
      context.addIssue({
        code: "custom",
        path: [found],
        message: "Extra inputs are not permitted",
      });
    })
    .transform(({ anthropic_version: _, ...body }) => ({ ...body, model }))
    .pipe(messagesRequest);
}
