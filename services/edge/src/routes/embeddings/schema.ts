import type { JsonObject } from "@tollgate/core/json";
import { z } from "zod";
import { alias, integerFrom, oneOf, texts } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";

const options = {
  encoding_format: oneOf(["float", "base64"]).describe("The format of the vectors."),
  dimensions: integerFrom(1).describe("The length of the vectors, if the model supports it."),
};

/** The body for a model that takes text only. */
export const embeddingsSchema = z.strictObject({
  model: alias,
  input: z
    .unknown()
    .refine((input) => !isTokens(input), "must be text: token arrays are not supported")
    .pipe(texts.describe("A text, or an array of texts to embed. Token arrays are not supported.")),
  ...options,
});

/** The largest id that a provider's 32-bit integer holds. No vocabulary comes near. */
const maxTokenId = 2 ** 31 - 1;
const tokenIdError = `must be a token id: an integer from 0 to ${maxTokenId}`;
const tokenId = z.int({ error: tokenIdError }).min(0, tokenIdError).max(maxTokenId, tokenIdError);
const tokenArray = listOf(tokenId, "must be an array of token ids").min(1, "must not be empty");
const tokenArrays = listOf(tokenArray, "must be an array of arrays of token ids").min(
  1,
  "must not be empty",
);

/**
 * The body for a model that takes token ids, too, as the API reference describes it. A body is
 * validated with the schema that `schemaOfTokenInput` returns.
 */
export const tokenEmbeddingsSchema = z.strictObject({
  model: alias,
  input: z
    .union([texts, tokenArray, tokenArrays])
    .describe("A text, an array of texts, an array of token ids, or an array of such arrays."),
  ...options,
});

/**
 * Returns the schema for a body of a model that takes token ids. The first item decides what the input
 * is, so that an error names the item that does not fit.
 */
export function schemaOfTokenInput({ input }: JsonObject): typeof tokenEmbeddingsSchema {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  if (typeof first === "string") return tokenSchemas.texts;
  if (typeof first === "number") return tokenSchemas.tokens;
  if (Array.isArray(first)) return tokenSchemas.arrays;
  return typeof input === "string" ? tokenSchemas.texts : tokenSchemas.none;
}

type InputSchema = (typeof tokenEmbeddingsSchema.shape)["input"];
const withInput = (input: z.ZodType) =>
  tokenEmbeddingsSchema.extend({ input: input as unknown as InputSchema });
const tokenSchemas = {
  texts: withInput(texts),
  tokens: withInput(tokenArray),
  arrays: withInput(tokenArrays),
  none: withInput(
    z.never({ error: "must be a text, an array of texts, or one or more arrays of token ids" }),
  ),
};

/** Returns whether an input is an array of token ids, or of such arrays. */
function isTokens(input: unknown): boolean {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  return typeof first === "number" || Array.isArray(first);
}

const vector = z.looseObject({
  index: z.int().optional(),
  embedding: z.union([z.array(z.number()), z.string()]).optional(),
});

export const embeddingsResponseSchema = z.union([
  z.looseObject({ data: z.array(vector).optional() }),
  z.array(z.unknown()),
]);
