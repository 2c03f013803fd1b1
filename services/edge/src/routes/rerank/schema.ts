import { z } from "zod";
import { alias, integerFrom, text } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";

export const rerankSchema = z.strictObject({
  model: alias,
  query: text.describe("The query to rank the documents by."),
  documents: listOf(text, "must be an array of strings")
    .min(1, "must hold at least one document")
    .describe("The documents. The price does not depend on their number."),
  top_n: integerFrom(1).describe("The number of best documents to return. Defaults to all."),
});
