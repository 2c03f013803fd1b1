import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import { jsonRoute } from "../json-route.ts";
import { base64Of, vectorOf } from "./embeddings.ts";
import { rank } from "./rerank.ts";

const model = z.string().min(1);

/** https://docs.voyageai.com/reference/embeddings-api */
const embeddingsRequest = z.strictObject({
  model,
  input: z.union([z.string(), z.array(z.string()).min(1).max(1_000)]),
  input_type: z.enum(["query", "document"]).nullish(),
  truncation: z.boolean().optional(),
  output_dimension: z.union([256, 512, 1024, 2048].map((size) => z.literal(size))).optional(),
  output_dtype: z.literal("float").optional(),
  encoding_format: z.literal("base64").nullish(),
});

/** https://docs.voyageai.com/reference/reranker-api */
const rerankRequest = z.strictObject({
  model,
  query: z.string().min(1),
  documents: z.array(z.string()).min(1).max(1_000),
  top_k: z.int().min(1).optional(),
  return_documents: z.boolean().optional(),
  truncation: z.boolean().optional(),
});

/** The routes of Voyage AI's API. */
export const voyageRoutes: readonly SimulatorRoute[] = [
  jsonRoute("/voyage/v1/embeddings", embeddingsRequest, (body, commands) => {
    const texts = [body.input].flat();
    const data = texts.map((text, index) => {
      const vector = vectorOf(text, body.output_dimension ?? 8);
      const embedding = body.encoding_format === "base64" ? base64Of(vector) : [...vector];
      return { object: "embedding", embedding, index };
    });
    const counted = texts.reduce((sum, text) => sum + tokensOfCharacters(text.length), 0);
    const usage = { total_tokens: commands.usage?.promptTokens ?? counted };
    return { object: "list", data, model: body.model, ...(commands.no_usage ? {} : { usage }) };
  }),
  jsonRoute("/voyage/v1/rerank", rerankRequest, (body, { no_list }) => {
    const data = rank(body.query, body.documents).slice(0, body.top_k);
    const usage = { total_tokens: 10 * body.documents.length };
    return { object: "list", ...(no_list ? {} : { data }), model: body.model, usage };
  }),
];
