import type { Model, Slot } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonBytes, ProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { ClientBody } from "./client-body.ts";
import { vendors } from "./index.ts";
import { checkJson, postJson } from "./json-routes.ts";

interface Exchange {
  name: string;
  kind: keyof typeof vendors;
  routeType: RouteType;
  inputType?: string;
  path?: string;
  /** The client's request, and what the provider is sent. */
  request: JsonObject;
  sent: JsonObject;
  /** The provider's response in the form of its documentation, and what the client is sent. */
  response: JsonObject;
  received: JsonObject;
}

const exchanges: Exchange[] = [
  {
    // https://docs.cohere.com/reference/embed
    name: "Cohere's embeddings",
    kind: "cohere",
    routeType: "embeddings",
    request: { model: "embed-v4.0", input: "hello", dimensions: 256 },
    sent: {
      model: "embed-v4.0",
      texts: ["hello"],
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 256,
    },
    response: {
      id: "da6e531f-54c5-4a73-bf92-f60566d8d753",
      embeddings: { float: [[0.016296387, -0.008354187]] },
      texts: ["hello"],
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 2 } },
    },
    received: {
      id: "da6e531f-54c5-4a73-bf92-f60566d8d753",
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.016296387, -0.008354187] }],
      model: "embed-v4.0",
      usage: { prompt_tokens: 2, total_tokens: 2 },
    },
  },
  {
    name: "Cohere's embeddings in base64, for queries",
    kind: "cohere",
    routeType: "embeddings",
    inputType: "search_query",
    request: { model: "embed-v4.0", input: ["a", "b"], encoding_format: "base64" },
    sent: {
      model: "embed-v4.0",
      texts: ["a", "b"],
      input_type: "search_query",
      embedding_types: ["base64"],
    },
    response: { id: "1", embeddings: { base64: ["AAAA", "BBBB"] }, meta: {} },
    received: {
      id: "1",
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: "AAAA" },
        { object: "embedding", index: 1, embedding: "BBBB" },
      ],
      model: "embed-v4.0",
    },
  },
  {
    // https://docs.cohere.com/reference/rerank
    name: "Cohere's ranks, which have OpenAI-compatible names",
    kind: "cohere",
    routeType: "rerank",
    request: { model: "rerank-v3.5", query: "q", documents: ["a", "b"], top_n: 1 },
    sent: { model: "rerank-v3.5", query: "q", documents: ["a", "b"], top_n: 1 },
    response: {
      results: [{ index: 1, relevance_score: 0.999071 }],
      id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
      meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
    },
    received: {
      results: [{ index: 1, relevance_score: 0.999071 }],
      id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
      meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
    },
  },
  {
    // https://ai.google.dev/api/embeddings
    name: "Gemini's embeddings",
    kind: "google",
    routeType: "embeddings",
    inputType: "RETRIEVAL_QUERY",
    request: { model: "gemini-embedding-001", input: ["a", "b"], dimensions: 2 },
    sent: {
      requests: ["a", "b"].map((text) => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        taskType: "RETRIEVAL_QUERY",
        outputDimensionality: 2,
      })),
    },
    response: {
      embeddings: [{ values: [0.013168517, -0.008711934] }, { values: [0.5, -1] }],
      usageMetadata: { promptTokenCount: 4 },
    },
    received: {
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.013168517, -0.008711934] },
        { object: "embedding", index: 1, embedding: [0.5, -1] },
      ],
      model: "gemini-embedding-001",
      usage: { prompt_tokens: 4, total_tokens: 4 },
    },
  },
  {
    // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
    name: "Vertex AI's embeddings",
    kind: "vertex",
    routeType: "embeddings",
    inputType: "RETRIEVAL_DOCUMENT",
    path: "/publishers/google/models/text-embedding-005:predict",
    request: { model: "text-embedding-005", input: ["a", "b"], dimensions: 2 },
    sent: {
      instances: ["a", "b"].map((content) => ({ content, task_type: "RETRIEVAL_DOCUMENT" })),
      parameters: { autoTruncate: false, outputDimensionality: 2 },
    },
    response: {
      predictions: [
        { embeddings: { values: [0.5, -1], statistics: { token_count: 3, truncated: false } } },
        { embeddings: { values: [1, 0], statistics: { token_count: 4, truncated: false } } },
      ],
    },
    received: {
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -1] },
        { object: "embedding", index: 1, embedding: [1, 0] },
      ],
      model: "text-embedding-005",
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
  },
  {
    name: "Vertex AI's embeddings of one text",
    kind: "vertex",
    routeType: "embeddings",
    inputType: "RETRIEVAL_QUERY",
    path: "/publishers/google/models/gemini-embedding-2:embedContent",
    request: { model: "gemini-embedding-2", input: "a", dimensions: 2 },
    sent: {
      content: { parts: [{ text: "a" }] },
      embedContentConfig: {
        ...{ autoTruncate: false, taskType: "RETRIEVAL_QUERY", outputDimensionality: 2 },
      },
    },
    response: { embedding: { values: [0.5, -1] }, usageMetadata: { promptTokenCount: 3 } },
    received: {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5, -1] }],
      model: "gemini-embedding-2",
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
  },
  {
    name: "Gemini's embeddings, asked for in base64, without usage",
    kind: "google",
    routeType: "embeddings",
    request: { model: "gemini-embedding-001", input: "a", encoding_format: "base64" },
    sent: {
      requests: [{ model: "models/gemini-embedding-001", content: { parts: [{ text: "a" }] } }],
    },
    response: { embeddings: [{ values: [0.5, -1] }] },
    received: {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5, -1] }],
      model: "gemini-embedding-001",
    },
  },
  {
    // https://docs.mistral.ai/api/endpoint/embeddings
    name: "Mistral's embeddings",
    kind: "mistral",
    routeType: "embeddings",
    request: {
      model: "codestral-embed",
      input: ["a", "b"],
      dimensions: 256,
      encoding_format: "base64",
    },
    sent: {
      model: "codestral-embed",
      input: ["a", "b"],
      output_dimension: 256,
      encoding_format: "base64",
    },
    response: {
      id: "cf79f7daaee244b1a0ae5c7b1444424a",
      object: "list",
      data: [{ object: "embedding", embedding: "AAAA", index: 0 }],
      model: "codestral-embed",
      usage: { prompt_tokens: 15, completion_tokens: 0, total_tokens: 15 },
    },
    received: {
      id: "cf79f7daaee244b1a0ae5c7b1444424a",
      object: "list",
      data: [{ object: "embedding", embedding: "AAAA", index: 0 }],
      model: "codestral-embed",
      usage: { prompt_tokens: 15, completion_tokens: 0, total_tokens: 15 },
    },
  },
  {
    // https://docs.voyageai.com/reference/embeddings-api
    name: "Voyage's embeddings",
    kind: "voyage",
    routeType: "embeddings",
    inputType: "document",
    request: { model: "voyage-3.5", input: ["a"], dimensions: 512, encoding_format: "float" },
    sent: { model: "voyage-3.5", input: ["a"], input_type: "document", output_dimension: 512 },
    response: {
      object: "list",
      data: [{ object: "embedding", embedding: [0.0038915484, 0.010964915], index: 0 }],
      model: "voyage-3.5",
      usage: { total_tokens: 10 },
    },
    received: {
      object: "list",
      data: [{ object: "embedding", embedding: [0.0038915484, 0.010964915], index: 0 }],
      model: "voyage-3.5",
      usage: { total_tokens: 10 },
    },
  },
  {
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
    name: "Bedrock's ranks",
    kind: "bedrock",
    routeType: "rerank",
    request: { model: "amazon.rerank-v1:0", query: "q", documents: ["a", "b"], top_n: 5 },
    sent: {
      queries: [{ type: "TEXT", textQuery: { text: "q" } }],
      sources: ["a", "b"].map((text) => ({
        type: "INLINE",
        inlineDocumentSource: { type: "TEXT", textDocument: { text } },
      })),
      rerankingConfiguration: {
        type: "BEDROCK_RERANKING_MODEL",
        bedrockRerankingConfiguration: {
          modelConfiguration: {
            modelArn: "arn:aws:bedrock:us-east-1::foundation-model/amazon.rerank-v1:0",
          },
          numberOfResults: 2,
        },
      },
    },
    response: {
      results: [
        { index: 1, relevanceScore: 0.5 },
        { index: 0, relevanceScore: 0.1 },
      ],
    },
    received: {
      results: [
        { index: 1, relevance_score: 0.5 },
        { index: 0, relevance_score: 0.1 },
      ],
    },
  },
  {
    // https://docs.voyageai.com/reference/reranker-api
    name: "Voyage's ranks",
    kind: "voyage",
    routeType: "rerank",
    request: { model: "rerank-2.5", query: "q", documents: ["a", "b"], top_n: 2 },
    sent: { model: "rerank-2.5", query: "q", documents: ["a", "b"], top_k: 2 },
    response: {
      object: "list",
      data: [
        { relevance_score: 0.4375, index: 0 },
        { relevance_score: 0.421875, index: 1 },
      ],
      model: "rerank-2.5",
      usage: { total_tokens: 26 },
    },
    received: {
      results: [
        { relevance_score: 0.4375, index: 0 },
        { relevance_score: 0.421875, index: 1 },
      ],
      model: "rerank-2.5",
      usage: { total_tokens: 26 },
    },
  },
  {
    // https://api.jina.ai/docs
    name: "Jina's embeddings",
    kind: "jina",
    routeType: "embeddings",
    inputType: "retrieval.query",
    request: { model: "jina-embeddings-v3", input: "a", dimensions: 64, encoding_format: "base64" },
    sent: {
      model: "jina-embeddings-v3",
      input: "a",
      task: "retrieval.query",
      dimensions: 64,
      embedding_type: "base64",
    },
    response: {
      model: "jina-embeddings-v3",
      object: "list",
      usage: { total_tokens: 6, prompt_tokens: 6 },
      data: [{ object: "embedding", index: 0, embedding: "AAAA" }],
    },
    received: {
      model: "jina-embeddings-v3",
      object: "list",
      usage: { total_tokens: 6, prompt_tokens: 6 },
      data: [{ object: "embedding", index: 0, embedding: "AAAA" }],
    },
  },
  {
    name: "Jina's ranks, without the documents",
    kind: "jina",
    routeType: "rerank",
    request: { model: "jina-reranker-v2", query: "q", documents: ["a", "b"] },
    sent: { model: "jina-reranker-v2", query: "q", documents: ["a", "b"], return_documents: false },
    response: {
      model: "jina-reranker-v2",
      usage: { total_tokens: 38 },
      results: [{ index: 0, relevance_score: 0.8783142566680908 }],
    },
    received: {
      model: "jina-reranker-v2",
      usage: { total_tokens: 38 },
      results: [{ index: 0, relevance_score: 0.8783142566680908 }],
    },
  },
];

/** A client whose provider responds with `response`, and what it was sent. */
function world(
  { kind, inputType, path = "" }: Pick<Exchange, "kind" | "inputType" | "path">,
  response: JsonObject,
) {
  const sent: JsonObject[] = [];
  const slot = {
    provider: { name: kind, kind: vendors[kind], region: "us-east-1" },
    inputType,
    path,
  } as unknown as Slot;
  const providers = {
    async post(_slot: Slot, body: JsonBytes) {
      const bytes = body instanceof Uint8Array ? body : Buffer.concat(body);
      sent.push(JSON.parse(Buffer.from(bytes).toString()) as JsonObject);
      const body_ = [Buffer.from(JSON.stringify(response))];
      return { status: 200, contentType: "application/json", body: body_ };
    },
  } as unknown as ProviderClient;
  return { sent, slot, providers };
}

const call = {
  accept: "application/json",
  requestId: "req_1",
  signal: new AbortController().signal,
} as const;

const clientOf = (members: JsonObject) => new ClientBody(Buffer.from(JSON.stringify(members)));

test.each(exchanges)("$name are translated both ways", async (exchange) => {
  const { sent, slot, providers } = world(exchange, exchange.response);
  const { model, ...others } = exchange.request;
  const body = { own: { model }, client: clientOf(others) };
  const { bytes, value } = await postJson(providers, slot, exchange.routeType, body, call);
  expect(sent).toEqual([exchange.sent]);
  expect(value).toEqual(exchange.received);
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(exchange.received);
});

test.each([
  ["cohere", "embeddings", { embeddings: {} }],
  ["google", "embeddings", { embedding: { values: [1] } }],
  ["google", "embeddings", { embeddings: [{ value: [1] }] }],
  ["vertex", "embeddings", { predictions: {} }],
  ["vertex", "embeddings", { predictions: [{ embeddings: {} }] }],
  ["voyage", "rerank", { object: "list" }],
  ["bedrock", "rerank", { nextToken: "a" }],
] as const)("a response of %s for %s without its list is a failure", async (kind, routeType, own) => {
  const { slot, providers } = world({ kind }, own);
  const body = { own: { model: "m" }, client: clientOf({ input: "a" }) };
  const posted = postJson(providers, slot, routeType, body, call);
  await expect(posted).rejects.toThrow(SlotFailure);
});

test("a body is forwarded without being parsed where the provider speaks OpenAI's wire", async () => {
  const { sent, slot, providers } = world({ kind: "openai" }, { data: [] });
  const bytes = Buffer.from('{"input":"a"}');
  const client = new ClientBody(bytes);
  const parse = vi.spyOn(client, "members", "get");
  checkJson({ chain: [slot], routeType: "embeddings" } as unknown as Model, client);
  await postJson(providers, slot, "embeddings", { own: { model: "m" }, client }, call);
  expect(sent).toEqual([{ model: "m", input: "a" }]);
  expect(parse).not.toHaveBeenCalled();
});

test("a body is parsed once for all slots and attempts", async () => {
  const { slot, providers } = world({ kind: "jina" }, { results: [] });
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const client = clientOf({ query: "q", documents: ["a"] });
  const text = Buffer.from(client.bytes).toString();
  checkJson({ chain: [slot, slot], routeType: "rerank" } as unknown as Model, client, { n: 1 });
  for (const model of ["first", "second"]) {
    await postJson(providers, slot, "rerank", { own: { model }, client }, call);
  }
  expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toHaveLength(1);
});
