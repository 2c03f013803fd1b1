import { z } from "zod";
import { jsonRoute } from "../json-route.ts";

const request = z.object({
  model: z.string().min(1),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
});

/** Ranks documents by how many words of the query they contain. */
export const rerank = jsonRoute("/v1/rerank", request, (body, { bare, no_list }, seq) => {
  const words = new Set(wordsOf(body.query));
  const results = body.documents.map((text, index) => {
    const found = wordsOf(text).filter((word) => words.has(word)).length;
    return { index, relevance_score: found / (found + 1) };
  });
  results.sort((left, right) => right.relevance_score - left.relevance_score);
  const best = results.slice(0, body.top_n);
  if (bare) return best;
  return { id: `rerank-${seq}`, model: body.model, ...(no_list ? {} : { results: best }) };
});

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\w+/g) ?? [];
}
