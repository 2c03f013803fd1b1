import { parseCatalog } from "@tollgate/catalog/parse";
import { describe, expect, test } from "vitest";
import { claude, gemini, vertexClaude, vertexGemini } from "../../test/kinds.ts";
import { rejectionReason, sendEvents, startProvider } from "../../test/provider-of-kind.ts";
import { vendors } from "../index.ts";

const messages = [{ role: "user", content: "Hi" }];

function slotOf(model: string, provider: object, routeType = "chat") {
  const chat = { context_tokens: 10, max_output_tokens: 5 };
  const pricing = {
    input: "1",
    ...(routeType === "chat" ? { cache_write_1h: "1", output: "1" } : {}),
  };
  const file = {
    providers: { p: { kind: "vertex", region: "us-east5", project: "acme-1", ...provider } },
    models: [
      {
        ...{ alias: "a", route_type: routeType, pricing, chain: [{ provider: "p", model }] },
        ...(routeType === "chat" ? chat : {}),
      },
    ],
  };
  const { models } = parseCatalog(JSON.stringify(file), vendors);
  const slot = models.get("a")?.chain[0];
  return `${slot?.provider.baseUrl}${slot?.path}`;
}

describe("the address of a model", () => {
  const models = "/v1/projects/acme-1/locations";

  test.each([
    [{}, `https://us-east5-aiplatform.googleapis.com${models}/us-east5`],
    [{ region: "global" }, `https://aiplatform.googleapis.com${models}/global`],
    [{ region: "eu" }, `https://aiplatform.eu.rep.googleapis.com${models}/eu`],
  ])("is that of its location: %j", (provider, base) => {
    expect(slotOf("gemini-2.5-flash", provider)).toBe(
      `${base}/publishers/google/models/gemini-2.5-flash:generateContent`,
    );
  });

  test.each([
    [
      "chat",
      "claude-sonnet-4-5@20250929",
      "anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    ],
    ["embeddings", "text-embedding-005", "google/models/text-embedding-005:predict"],
    ["embeddings", "gemini-embedding-001", "google/models/gemini-embedding-001:predict"],
    ["embeddings", "gemini-embedding-2", "google/models/gemini-embedding-2:embedContent"],
  ])("has its publisher and its method: %s of %s", (routeType, model, path) => {
    expect(slotOf(model, {}, routeType)).toMatch(new RegExp(`/publishers/${path}$`));
  });

  test.each([
    [{ project: undefined }, "project: must be set for a provider of the kind vertex"],
    [{ region: "Europe" }, "region: must be the name of a location of Vertex AI"],
    [{ kind: "openai", base_url: "http://a", region: undefined }, "project: must not be set"],
  ])("is refused where a part is missing: %j", (provider, problem) => {
    expect(() => slotOf("gemini-2.5-flash", provider)).toThrow(`providers.p.${problem}`);
  });
});

describe("Gemini on Vertex AI", () => {
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
  const loop = [
    ...messages,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "text" },
  ];

  test("is sent what Gemini's API is, but for the ids of calls", async () => {
    const [own, other] = [await startProvider(vertexGemini), await startProvider(gemini)];
    const request = { messages, max_tokens: 50, temperature: 0.5, seed: 1, top_k: 3 };
    await own.post(request);
    await other.post(request);
    expect(own.bodies).toEqual(other.bodies);
    await own.post({ messages: loop });
    const sent = JSON.stringify(own.bodies[1]);
    expect(sent).toContain('"functionCall":{"name":"f","args":{}}');
    expect(sent).not.toContain("call_1");
    expect(own.urls[0]).toBe("/v1/publishers/google/models/gemini-2.5-flash:generateContent");
  });

  test("streams by its own method, and signs its calls", async () => {
    const functionCall = { name: "f", args: { a: 1 } };
    const parts = [{ functionCall, thoughtSignature: "c2ln" }];
    const event = {
      candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
    };
    const { stream, urls } = await startProvider(vertexGemini, (response) =>
      sendEvents(response, `data: ${JSON.stringify(event)}\n\n`),
    );
    const chunks = await stream({ messages });
    expect(urls).toEqual([
      "/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ]);
    expect(JSON.stringify(chunks)).toContain('"data":"c2ln"');
    expect(JSON.stringify(chunks)).toContain('"format":"google-gemini-v1"');
  });
});

describe("Claude on Vertex AI", () => {
  test("is sent a message without the model, and with the version in the body", async () => {
    const [own, other] = [await startProvider(vertexClaude), await startProvider(claude)];
    const request = { messages, max_tokens: 50, stop: "END" };
    const completion = await own.post(request);
    await other.post(request);
    const { model: _, ...body } = other.bodies[0] ?? {};
    expect(own.bodies).toEqual([{ ...body, anthropic_version: "vertex-2023-10-16" }]);
    expect(own.urls).toEqual([
      "/v1/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    ]);
    expect(completion).toMatchObject({ choices: [{ message: { content: "Hi!" } }] });
  });

  test("streams by its own method", async () => {
    const events = [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi!" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ];
    const { stream, urls, bodies } = await startProvider(vertexClaude, (response) =>
      sendEvents(
        response,
        events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(""),
      ),
    );
    const chunks = await stream({ messages });
    expect(chunks.map(({ choices }) => JSON.stringify(choices)).join()).toContain("Hi!");
    expect(urls).toEqual([
      "/v1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
    ]);
    expect(bodies[0]).toMatchObject({ stream: true });
  });

  test.each([
    [
      "an image at an address",
      {
        messages: [
          {
            role: "user",
            content: [{ type: "image_url", image_url: { url: "https://a.test/b.png" } }],
          },
        ],
      },
      "messages[0].content[0].image_url.url",
    ],
    ["a seed", { messages, seed: 1 }, "seed"],
    [
      "a strict tool",
      { messages, tools: [{ type: "function", function: { name: "f", strict: true } }] },
      "tools",
    ],
  ])("is not sent %s, which it does not take", async (_, request, param) => {
    const { check } = await startProvider(vertexClaude);
    expect(await rejectionReason(check(request))).toMatchObject({ code: "invalid_param", param });
  });
});
