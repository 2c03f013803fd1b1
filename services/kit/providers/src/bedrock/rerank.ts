import type { Provider } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

/**
 * Rerank by Amazon Bedrock:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
 */
export const bedrockRerank: JsonAdapter = {
  request({ provider }, { model, query, documents, top_n }) {
    const texts = Array.isArray(documents) ? documents.map(String) : [];
    return {
      queries: [{ type: "TEXT", textQuery: { text: query } }],
      sources: texts.map((text) => ({
        type: "INLINE",
        inlineDocumentSource: { type: "TEXT", textDocument: { text } },
      })),
      rerankingConfiguration: {
        type: "BEDROCK_RERANKING_MODEL",
        bedrockRerankingConfiguration: {
          modelConfiguration: { modelArn: arnOf(String(model), provider) },
          numberOfResults: Math.min(Number(top_n ?? texts.length), texts.length),
        },
      },
    };
  },
  response({ results }) {
    if (Array.isArray(results)) return { results: results.filter(isResult).map(toResult) };
    throw new SlotFailure("rejected", "the provider's response has no list results");
  },
};

function isResult(value: unknown): value is JsonObject {
  return isJsonObject(value) && typeof value.index === "number";
}

function toResult({ index, relevanceScore }: JsonObject): JsonObject {
  return { index, relevance_score: relevanceScore };
}

function arnOf(model: string, { region = "" }: Provider): string {
  if (model.startsWith("arn:")) return model;
  const partition = /^(?:cn|us-gov)(?=-)/.exec(region)?.[0];
  const name = partition === undefined ? "aws" : `aws-${partition}`;
  return `arn:${name}:bedrock:${region}::foundation-model/${model}`;
}
