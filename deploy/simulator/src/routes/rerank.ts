import { z } from "zod";
import { jsonRoute } from "../json-route.ts";

const request = z.object({
  model: z.string().min(1),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
});

/** Ranks documents by how many words of the query they contain. */
export const rerankRoute = jsonRoute("/v1/rerank", request, (body, { bare, no_list }, seq) => {
  const best = rank(body.query, body.documents).slice(0, body.top_n);
  if (bare) return best;
  return { id: `rerank-${seq}`, model: body.model, ...(no_list ? {} : { results: best }) };
});

/** Returns the documents by their indexes, the most relevant first. */
export function rank(query: string, documents: readonly string[]) {
  const words = new Set(wordsOf(query));
  const results = documents.map((text, index) => {
    const found = wordsOf(text).filter((word) => words.has(word)).length;
    return { index, relevance_score: found / (found + 1) };
  });
  return results.sort((left, right) => right.relevance_score - left.relevance_score);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\w+/g) ?? [];
}
