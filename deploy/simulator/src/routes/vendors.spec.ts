import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/** A documented request to a route that takes JSON, and what the reference refuses. */
interface VendorRoute {
  /** Where the reference is. */
  source: string;
  path: string;
  key: Record<string, string>;
  body: object;
  responds: object | undefined;
  refused: readonly object[];
}

const bearer = { authorization: "Bearer key" };
const documents = ["Paris", "Berlin"];

const routes: readonly VendorRoute[] = [
  {
    source: "https://docs.voyageai.com/reference/embeddings-api",
    path: "/voyage/v1/embeddings",
    key: bearer,
    body: { model: "voyage-3.5", input: ["a", "b"], input_type: "query", output_dimension: 256 },
    responds: { object: "list", data: [{ index: 0 }, { index: 1 }], usage: { total_tokens: 2 } },
    refused: [{ dimensions: 256 }, { input_type: "search_query" }, { encoding_format: "float" }],
  },
  {
    source: "https://docs.voyageai.com/reference/reranker-api",
    path: "/voyage/v1/rerank",
    key: bearer,
    body: { model: "rerank-2.5", query: "Paris", documents, top_k: 1 },
    responds: { object: "list", data: [{ index: 0 }], usage: { total_tokens: 20 } },
    refused: [{ top_n: 1 }, { documents: [] }],
  },
  {
    source: "https://api.jina.ai/docs",
    path: "/jina/v1/embeddings",
    key: bearer,
    body: { model: "jina-embeddings-v4", input: "a", task: "retrieval.query", dimensions: 16 },
    responds: { object: "list", data: [{ index: 0 }], usage: { prompt_tokens: 1 } },
    refused: [{ input_type: "query" }, { task: "query" }, { encoding_format: "base64" }],
  },
  {
    source: "https://api.jina.ai/docs",
    path: "/jina/v1/rerank",
    key: bearer,
    body: { model: "jina-reranker-v3", query: "Paris", documents },
    responds: { results: [{ index: 0, document: { text: "Paris" } }, { index: 1 }] },
    refused: [{ top_k: 1 }, { documents: "Paris" }],
  },
  {
    source: "https://docs.cohere.com/reference/embed",
    path: "/cohere/v2/embed",
    key: bearer,
    body: {
      model: "embed-v4.0",
      texts: ["a"],
      input_type: "search_document",
      embedding_types: ["float"],
    },
    responds: { embeddings: { float: [expect.any(Array)] }, meta: { billed_units: {} } },
    refused: [{ input: "a" }, { input_type: "query" }, { dimensions: 256 }],
  },
  {
    source: "https://docs.cohere.com/reference/rerank",
    path: "/cohere/v2/rerank",
    key: bearer,
    body: { model: "rerank-v3.5", query: "Paris", documents, top_n: 1 },
    responds: { results: [{ index: 0 }] },
    refused: [{ top_k: 1 }, { documents: [] }],
  },
  {
    source: "https://elevenlabs.io/docs/api-reference/text-to-speech/stream",
    path: "/elevenlabs/v1/text-to-speech/alto/stream?output_format=mp3_44100_128",
    key: { "xi-api-key": "key" },
    body: { text: "Hello.", model_id: "eleven_v2", voice_settings: { speed: 1.1 } },
    responds: undefined,
    refused: [{ input: "Hello." }, { voice_settings: { speed: 2 } }, { text: "" }],
  },
  {
    source: "https://developers.deepgram.com/reference/text-to-speech/speak-request",
    path: "/deepgram/v1/speak?model=aura-2-thalia-en&encoding=mp3",
    key: { authorization: "Token key" },
    body: { text: "Hello." },
    responds: undefined,
    refused: [{ input: "Hello." }, { text: "" }],
  },
  {
    source: "https://docs.x.ai/docs/api-reference#image-generations",
    path: "/xai/v1/images/generations",
    key: bearer,
    body: { model: "grok-2-image", prompt: "a fox", n: 2 },
    responds: { data: [{ url: expect.any(String) }, { url: expect.any(String) }] },
    refused: [{ size: "1024x1024" }, { n: 11 }],
  },
];

describe.each(routes.map((one) => [one.path, one] as const))("%s", (_path, one) => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(path: string, more: object = {}, headers = one.key) {
    const body = JSON.stringify({ ...one.body, ...more });
    const sent = await fetch(`${simulator.url}${path}`, { method: "POST", headers, body });
    return { status: sent.status, text: await sent.text() };
  }

  test(`responds to the request of ${one.source}`, async () => {
    const { status, text } = await post(one.path);
    expect(status).toBe(200);
    if (one.responds === undefined) expect(text).not.toBe("");
    else expect(JSON.parse(text)).toMatchObject(one.responds);
  });

  test.each(one.refused)("refuses %j", async (more) => {
    expect([400, 422]).toContain((await post(one.path, more)).status);
  });

  test("refuses a request without a key, or with another vendor's", async () => {
    const refusal = one.path.startsWith("/xai/") ? 400 : 401;
    expect((await post(one.path, {}, {})).status).toBe(refusal);
    expect((await post(one.path, {}, { "x-api-key": "key" })).status).toBe(refusal);
  });

  test.runIf(one.path.includes("?"))("refuses what its query does not have", async () => {
    expect([400, 422]).toContain((await post(`${one.path}&voice=alto`)).status);
  });
});
