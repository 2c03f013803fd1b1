import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import { jsonRoute } from "../json-route.ts";
import { base64Of, vectorOf } from "./embeddings.ts";
import { rank } from "./rerank.ts";

const model = z.string().min(1);
/** Returned with every response: https://docs.cohere.com/reference/embed */
const apiVersion = { version: "2" };

const embedRequest = z.strictObject({
  model,
  texts: z.array(z.string()).min(1).max(96),
  input_type: z.enum(["search_document", "search_query", "classification", "clustering"]),
  embedding_types: z.array(z.enum(["float", "base64"])).min(1),
  output_dimension: z.union([256, 512, 1024, 1536].map((size) => z.literal(size))).optional(),
});

const rerankRequest = z.strictObject({
  model,
  query: z.string().min(1),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
  max_tokens_per_doc: z.int().optional(),
});

/** The routes of Cohere's API, version 2. */
export const cohereRoutes: readonly SimulatorRoute[] = [
  jsonRoute("/cohere/v2/embed", embedRequest, (body, commands, seq) => {
    const vectors = body.texts.map((text) => vectorOf(text, body.output_dimension ?? 8));
    const embeddings = {
      ...(body.embedding_types.includes("float") ? { float: vectors.map((one) => [...one]) } : {}),
      ...(body.embedding_types.includes("base64") ? { base64: vectors.map(base64Of) } : {}),
    };
    const counted = body.texts.reduce((sum, text) => sum + tokensOfCharacters(text.length), 0);
    const billed_units = { input_tokens: commands.usage?.promptTokens ?? counted };
    return {
      id: `embed-${seq}`,
      ...(commands.no_list ? {} : { embeddings }),
      texts: body.texts,
      meta: { api_version: apiVersion, ...(commands.no_usage ? {} : { billed_units }) },
      response_type: "embeddings_by_type",
    };
  }),
  jsonRoute("/cohere/v2/rerank", rerankRequest, (body, _commands, seq) => ({
    id: `rerank-${seq}`,
    results: rank(body.query, body.documents).slice(0, body.top_n),
    meta: { api_version: apiVersion, billed_units: { search_units: 1 } },
  })),
];
