import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import { jsonRoute } from "../json-route.ts";
import { base64Of, vectorOf } from "./embeddings.ts";
import { rank } from "./rerank.ts";

const model = z.string().min(1);

/** https://api.jina.ai/docs */
const embeddingsRequest = z.strictObject({
  model,
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  task: z
    .enum(["retrieval.query", "retrieval.passage", "text-matching", "classification", "separation"])
    .optional(),
  dimensions: z.int().min(1).optional(),
  embedding_type: z.enum(["float", "base64"]).default("float"),
});

const rerankRequest = z.strictObject({
  model,
  query: z.string().min(1),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
  return_documents: z.boolean().default(true),
});

/** The routes of Jina AI's API. */
export const jinaRoutes: readonly SimulatorRoute[] = [
  jsonRoute("/jina/v1/embeddings", embeddingsRequest, (body, commands) => {
    const texts = [body.input].flat();
    const data = texts.map((text, index) => {
      const vector = vectorOf(text, body.dimensions ?? 8);
      const embedding = body.embedding_type === "base64" ? base64Of(vector) : [...vector];
      return { object: "embedding", index, embedding };
    });
    const counted = texts.reduce((sum, text) => sum + tokensOfCharacters(text.length), 0);
    const tokens = commands.usage?.promptTokens ?? counted;
    const usage = { total_tokens: tokens, prompt_tokens: tokens };
    return { model: body.model, object: "list", ...(commands.no_usage ? {} : { usage }), data };
  }),
  jsonRoute("/jina/v1/rerank", rerankRequest, ({ documents, ...body }) => {
    const results = rank(body.query, documents).slice(0, body.top_n);
    const withDocument = ({ index, relevance_score }: (typeof results)[number]) => ({
      index,
      relevance_score,
      document: { text: documents[index] },
    });
    const usage = { total_tokens: 10 * documents.length };
    return {
      model: body.model,
      usage,
      results: body.return_documents ? results.map(withDocument) : results,
    };
  }),
];
