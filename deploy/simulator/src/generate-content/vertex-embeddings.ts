import { z } from "zod";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { vectorOf } from "../routes/embeddings.ts";
import { taskType } from "./embeddings.ts";

const defaultDimensions = 8;

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const predictTextsRequest = z.strictObject({
  instances: z
    .array(
      z.strictObject({
        content: z.string().min(1, "The text content is empty."),
        task_type: taskType.optional(),
        title: z.string().optional(),
      }),
    )
    .min(1)
    .max(250, "at most 250 instances can be in one request"),
  parameters: z
    .strictObject({
      autoTruncate: z.boolean().optional(),
      outputDimensionality: z.int().min(1).max(3_072).optional(),
    })
    .optional(),
});

/** Creates the response to a request. */
export function embedTexts(
  { instances, parameters }: z.output<typeof predictTextsRequest>,
  commands: Commands,
): object {
  const size = parameters?.outputDimensionality ?? defaultDimensions;
  const predictions = instances.map(({ content }, index) => {
    const counted = tokensOfCharacters(content.length);
    const commanded = commands.usage?.promptTokens;
    // What is commanded is of the whole request.
    const token_count = commanded === undefined ? counted : index === 0 ? commanded : 0;
    const statistics = commands.no_usage ? {} : { statistics: { token_count, truncated: false } };
    return { embeddings: { values: [...vectorOf(content, size)], ...statistics } };
  });
  return commands.no_list ? {} : { predictions };
}
