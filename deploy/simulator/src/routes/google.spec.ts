import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/**
 * The requests of Gemini's reference: https://ai.google.dev/api/generate-content,
 * https://ai.google.dev/gemini-api/docs/function-calling and
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const hello = { contents: [{ parts: [{ text: "Write a story about a magic backpack." }] }] };
const setLights = {
  name: "set_light_values",
  description: "Sets the brightness and color temperature of a light.",
  parameters: {
    type: "object",
    properties: {
      brightness: { type: "integer", description: "Light level from 0 to 100." },
      color_temp: { type: "string", enum: ["daylight", "cool", "warm"] },
    },
    required: ["brightness", "color_temp"],
  },
};
const lights = {
  tools: [{ functionDeclarations: [setLights] }],
  contents: [user("Turn the lights down to a romantic level")],
};
const call = { name: "set_light_values", args: { brightness: 25, color_temp: "warm" } };
const response = { name: "set_light_values", response: { content: "done" } };
const signature = "c2lnbmF0dXJlLTE=";

function looped(part: object, responses = [response]) {
  const answers = responses.map((functionResponse) => ({ functionResponse }));
  const turns = [
    { role: "model", parts: [part] },
    { role: "user", parts: answers },
  ];
  return { ...lights, contents: [...lights.contents, ...turns] };
}

describe("the methods of Gemini's models", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(
    body: object,
    { model = "gemini-2.5-flash", method = "generateContent", key = "key" } = {},
  ) {
    const path = `/google/v1beta/models/${encodeURIComponent(model)}:${method}`;
    const sent = await fetch(`${simulator.url}${path}`, {
      method: "POST",
      headers: key === "" ? {} : { "x-goog-api-key": key },
      body: JSON.stringify(body),
    });
    return { status: sent.status, text: await sent.text() };
  }

  test("generate content for a documented request", async () => {
    const { status, text } = await post(hello);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      candidates: [
        {
          content: {
            parts: [{ text: "You said: Write a story about a magic backpack." }],
            role: "model",
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 12,
        totalTokenCount: 22,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
      },
      modelVersion: "gemini-2.5-flash",
      responseId: expect.stringMatching(/^response-/),
    });
  });

  test("stream it in chunks, the last with the reason and the usage", async () => {
    const generationConfig = { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } };
    const method = "streamGenerateContent?alt=sse";
    const { text } = await post({ ...hello, generationConfig }, { method });
    const chunks = text
      .trim()
      .split("\n\n")
      .map((event) => JSON.parse(event.slice("data: ".length)));
    expect(chunks[0]).toMatchObject({
      candidates: [{ content: { parts: [{ text: "The user", thought: true }], role: "model" } }],
      usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    });
    expect(chunks.at(-1)).toMatchObject({
      candidates: [
        {
          content: { parts: [{ text: "", thoughtSignature: expect.any(String) }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { candidatesTokenCount: 12, thoughtsTokenCount: 12, totalTokenCount: 34 },
    });
  });

  test("call a function, and take its response", async () => {
    const called = await post(lights, { model: "gemini-3-pro-preview" });
    const [candidate] = JSON.parse(called.text).candidates;
    expect(candidate).toMatchObject({
      finishReason: "STOP",
      content: {
        parts: [
          {
            functionCall: { id: expect.any(String), name: "set_light_values" },
            thoughtSignature: expect.any(String),
          },
        ],
      },
    });
    const { text } = await post(looped(candidate.content.parts[0]), {
      model: "gemini-3-pro-preview",
    });
    expect(text).toContain("The tool returned: done");
  });

  /** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
  test("embed the texts of a batch", async () => {
    const model = "models/gemini-embedding-001";
    const text = "What is the meaning of life?";
    const request = { model, content: { parts: [{ text }] }, taskType: "RETRIEVAL_DOCUMENT" };
    const target = { model: "gemini-embedding-001", method: "batchEmbedContents" };
    const { text: body } = await post({ requests: [request, request] }, target);
    expect(JSON.parse(body)).toEqual({
      embeddings: [0, 1].map(() => ({ values: expect.any(Array) })),
      usageMetadata: { promptTokenCount: 14 },
    });
    for (const bad of [
      { ...request, model: "models/other" },
      { ...request, dimensions: 5 },
      { ...request, taskType: "query" },
    ]) {
      const refused = await post({ requests: [bad] }, target);
      expect(JSON.parse(refused.text)).toMatchObject({ error: { status: "INVALID_ARGUMENT" } });
    }
  });

  test.each<[string, object, { model?: string; method?: string; key?: string }, number, string]>([
    ["without a key", hello, { key: "" }, 403, "PERMISSION_DENIED"],
    ["of an unknown method", hello, { method: "generate" }, 404, "NOT_FOUND"],
    ["of a stream that is not SSE", hello, { method: "streamGenerateContent" }, 404, "NOT_FOUND"],
    ["with a member of OpenAI", { ...hello, n: 1 }, {}, 400, "Cannot find field"],
    ["without contents", { contents: [] }, {}, 400, "contents is not specified"],
    ["with empty parts", { contents: [{ parts: [] }] }, {}, 400, "parts must not be empty"],
    ["with a role of OpenAI", { contents: [{ ...user("a"), role: "assistant" }] }, {}, 400, ""],
    [
      "with a part of two kinds",
      { contents: [{ parts: [{ text: "a", functionCall: call }] }] },
      {},
      400,
      "oneof",
    ],
    [
      "with a GIF",
      { contents: [{ parts: [{ inlineData: { mimeType: "image/gif", data: "AAAA" } }] }] },
      {},
      400,
      "Unsupported MIME type",
    ],
    [
      "with a penalty",
      { ...hello, generationConfig: { frequencyPenalty: 0 } },
      {},
      400,
      "Penalty is not enabled",
    ],
    [
      "for JSON with functions of an older model",
      { ...lights, generationConfig: { responseMimeType: "application/json" } },
      {},
      400,
      "Function calling with a response mime type",
    ],
    [
      "with a thinking level of an older model",
      { ...hello, generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
      {},
      400,
      "is not supported for this model",
    ],
    [
      "with a large thinking budget",
      { ...hello, generationConfig: { thinkingConfig: { thinkingBudget: 30_000 } } },
      {},
      400,
      "is invalid",
    ],
    [
      "with fewer responses than calls",
      { ...lights, contents: looped({ functionCall: call }).contents.slice(0, 2) },
      {},
      400,
      "equal to the number of function call parts",
    ],
    [
      "with a response of no call",
      looped({ text: "a" }),
      {},
      400,
      "equal to the number of function call parts",
    ],
    [
      "with a call that lost its signature",
      looped({ functionCall: call }),
      { model: "gemini-3-pro-preview" },
      400,
      "missing a thought_signature",
    ],
    [
      "with function names of the mode AUTO",
      { ...lights, toolConfig: { functionCallingConfig: { allowedFunctionNames: ["a"] } } },
      {},
      400,
      "allowed_function_names",
    ],
  ])("refuse a request %s", async (_, body, target, status, message) => {
    const refused = await post(body, target);
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(message);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: status, ...(status === 400 ? { status: "INVALID_ARGUMENT" } : {}) },
    });
  });

  test("take a call with its signature, or of a model that needs none", async () => {
    const signed = looped({ functionCall: call, thoughtSignature: signature });
    expect((await post(signed, { model: "gemini-3-pro-preview" })).status).toBe(200);
    expect((await post(looped({ functionCall: call }))).status).toBe(200);
  });

  test.each([
    [429, "RESOURCE_EXHAUSTED"],
    [500, "INTERNAL"],
    [503, "UNAVAILABLE"],
  ])("fail on command with %i and the status %s", async (status, name) => {
    const failed = await post(hello, { model: `gemini-2.5-flash?status=${status}` });
    expect(failed.status).toBe(status);
    expect(JSON.parse(failed.text)).toMatchObject({ error: { code: status, status: name } });
  });

  test("break a stream on command with an error", async () => {
    const target = {
      model: "gemini-2.5-flash?error_event=1",
      method: "streamGenerateContent?alt=sse",
    };
    const { text } = await post(hello, target);
    expect(JSON.parse(text.trim().split("\n\n").at(-1)?.slice(6) ?? "")).toMatchObject({
      error: { code: 503, status: "UNAVAILABLE" },
    });
  });

  test.each([
    ["refusal", { candidates: [{ finishReason: "SAFETY", finishMessage: expect.any(String) }] }],
    ["blocked", { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }],
    ["malformed_call", { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }],
  ])("end on the command %s without content", async (command, expected) => {
    const { text } = await post(hello, { model: `gemini-2.5-flash?${command}` });
    expect(JSON.parse(text)).toMatchObject(expected);
    expect(text).not.toContain("parts");
  });
});
