import { z } from "zod";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { vectorOf } from "../routes/embeddings.ts";

const defaultDimensions = 8;
/** https://ai.google.dev/api/embeddings#TaskType */
export const taskType = z.enum([
  "TASK_TYPE_UNSPECIFIED",
  "RETRIEVAL_QUERY",
  "RETRIEVAL_DOCUMENT",
  "SEMANTIC_SIMILARITY",
  "CLASSIFICATION",
  "CLUSTERING",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
]);

const part = z.strictObject({ text: z.string().min(1, "content must not be empty") });
const content = z.strictObject({ role: z.string().optional(), parts: z.array(part).min(1) });
const embedContentRequest = z.strictObject({
  model: z.string(),
  content,
  taskType: taskType.optional(),
  title: z.string().optional(),
  outputDimensionality: z.int().min(1).max(3_072).optional(),
});

/** The body of Gemini's batchEmbedContents: https://ai.google.dev/api/embeddings */
export const batchEmbedRequest = z.strictObject({
  requests: z
    .array(embedContentRequest)
    .min(1)
    .max(100, "at most 100 requests can be in one batch"),
});

export type BatchEmbedRequest = z.output<typeof batchEmbedRequest>;

/** Returns the problem of a request whose path has another model. */
export function modelProblem(model: string, { requests }: BatchEmbedRequest): string | undefined {
  const other = requests.find((request) => request.model !== `models/${model}`);
  return other && `model must be models/${model}, as in the path, and not ${other.model}.`;
}

/** Creates the response to a request. */
export function embed({ requests }: BatchEmbedRequest, commands: Commands): object {
  const texts = requests.map((one) => one.content.parts.map(({ text }) => text).join(""));
  const embeddings = requests.map(({ outputDimensionality = defaultDimensions }, index) => ({
    values: [...vectorOf(texts[index] ?? "", outputDimensionality)],
  }));
  const counted = texts.reduce((sum, text) => sum + tokensOfCharacters(text.length), 0);
  const promptTokenCount = commands.usage?.promptTokens ?? counted;
  return {
    ...(commands.no_list ? {} : { embeddings }),
    ...(commands.no_usage ? {} : { usageMetadata: { promptTokenCount } }),
  };
}
