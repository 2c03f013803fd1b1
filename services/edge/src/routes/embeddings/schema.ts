import { z } from "zod";
import { alias, integerFrom, oneOf, texts } from "../../validation/fields.ts";

export const embeddingsSchema = z.strictObject({
  model: alias,
  input: z
    .unknown()
    .refine((input) => !isTokens(input), "must be text: token arrays are not supported")
    .pipe(texts.describe("A text, or an array of texts to embed. Token arrays are not supported.")),
  encoding_format: oneOf(["float", "base64"]).describe("The format of the vectors."),
  dimensions: integerFrom(1).describe("The length of the vectors, if the model supports it."),
});

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
