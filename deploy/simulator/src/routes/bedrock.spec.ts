import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/**
 * The requests of the reference:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-examples.html
 */
const user = (text: string) => ({ role: "user", content: [{ text }] });
const songs = {
  messages: [user("Create a list of 3 pop songs.")],
  system: [{ text: "You are an app that creates playlists for a radio station." }],
  inferenceConfig: { maxTokens: 2000, temperature: 0.5 },
};
const topSong = {
  name: "top_song",
  description: "Get the most popular song played on a radio station.",
  inputSchema: {
    json: {
      type: "object",
      properties: { sign: { type: "string", description: "The call sign." } },
      required: ["sign"],
    },
  },
};
const asked = {
  messages: [user("What is the most popular song on WZPZ?")],
  toolConfig: { tools: [{ toolSpec: topSong }] },
};
const toolUseId = "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q";
const used = { toolUse: { toolUseId, name: "top_song", input: { sign: "WZPZ" } } };
const result = { toolResult: { toolUseId, content: [{ text: "Elemental Hotel" }] } };
const thinking = { thinking: { type: "enabled", budget_tokens: 1_024 } };
const signed = { reasoningContent: { reasoningText: { text: "a", signature: "signature-1" } } };

function looped(...content: object[]) {
  const turns = [
    { role: "assistant", content },
    { role: "user", content: [result] },
  ];
  return { ...asked, messages: [...asked.messages, ...turns] };
}

describe("Bedrock's Converse API", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  function post(
    body: object,
    { model = "anthropic.claude-v1:0", stream = false, key = "key" } = {},
  ) {
    const operation = stream ? "converse-stream" : "converse";
    const path = `/bedrock/model/${encodeURIComponent(model)}/${operation}`;
    const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
    const sent = JSON.stringify(body);
    return fetch(`${simulator.url}${path}`, { method: "POST", headers, body: sent });
  }

  test("responds in the reference's form", async () => {
    const response = await post(songs);
    expect(await response.json()).toEqual({
      metrics: { latencyMs: expect.any(Number) },
      output: {
        message: {
          role: "assistant",
          content: [{ text: "You said: Create a list of 3 pop songs." }],
        },
      },
      stopReason: "end_turn",
      usage: {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    });
  });

  test("streams events with checksums, in the reference's order", async () => {
    const bytes = Buffer.from(await (await post(asked, { stream: true })).arrayBuffer());
    const events = framesIn(bytes);
    const types = events.map(({ text }) => /:event-type[^a-z]{3}([A-Za-z]+)/.exec(text)?.[1]);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata",
    ]);
    expect(events.at(-2)?.text).toContain('{"stopReason":"tool_use"');
  });

  test("throttles within a stream on command", async () => {
    const model = "anthropic.claude-v1:0?error_event=1";
    const bytes = Buffer.from(await (await post(songs, { model, stream: true })).arrayBuffer());
    const last = framesIn(bytes).at(-1)?.text;
    expect(last).toContain("throttlingException");
    expect(last).toContain("exception");
  });

  test("ends within an event on command", async () => {
    const model = "anthropic.claude-v1:0?truncate_after=1";
    const bytes = Buffer.from(await (await post(songs, { model, stream: true })).arrayBuffer());
    expect(() => framesIn(bytes)).toThrow("incomplete");
  });

  test.each([
    ["a tool's result", looped(used)],
    [
      "signed thinking",
      {
        ...looped(signed, used),
        additionalModelRequestFields: thinking,
        inferenceConfig: { maxTokens: 2_000 },
      },
    ],
    ["a required tool", { ...asked, toolConfig: { ...asked.toolConfig, toolChoice: { any: {} } } }],
  ])("takes %s", async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 200 });
  });

  test.each([
    ["an unknown member", { ...songs, stream: true }],
    ["an unknown member of the configuration", { ...songs, inferenceConfig: { topK: 5 } }],
    ["a temperature above 1", { ...songs, inferenceConfig: { temperature: 1.5 } }],
    ["a blank text", { messages: [user(" ")] }],
    [
      "a first message of the assistant",
      { messages: [{ role: "assistant", content: [{ text: "a" }] }] },
    ],
    ["two messages of a user", { messages: [user("a"), user("b")] }],
    ["calls without tools", { messages: looped(used).messages }],
    ["a result of no call", looped({ text: "a" })],
    [
      "thinking without its signature",
      {
        ...looped(used),
        additionalModelRequestFields: thinking,
        inferenceConfig: { maxTokens: 2_000 },
      },
    ],
    [
      "a budget above the limit",
      { ...songs, additionalModelRequestFields: thinking, inferenceConfig: { maxTokens: 1_000 } },
    ],
    [
      "thinking and a required tool",
      {
        ...asked,
        inferenceConfig: { maxTokens: 2_000 },
        toolConfig: { ...asked.toolConfig, toolChoice: { any: {} } },
        additionalModelRequestFields: thinking,
      },
    ],
  ])("refuses %s", async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.headers.get("x-amzn-errortype")).toBe("ValidationException");
    expect(await response.json()).toEqual({ message: expect.any(String) });
  });

  test("refuses a request that is not signed", async () => {
    const response = await post(songs, { key: "" });
    expect(response.status).toBe(403);
    expect(response.headers.get("x-amzn-errortype")).toBe("AccessDeniedException");
  });

  test.each([
    ["has no form", "AWS4-HMAC-SHA256 Credential=a"],
    [
      "is of another time",
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20150830/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`,
    ],
  ])("refuses a signature that %s", async (_, authorization) => {
    const response = await fetch(`${simulator.url}/bedrock/model/a/converse`, {
      method: "POST",
      headers: { authorization, "x-amz-date": "20150830T123600Z" },
      body: JSON.stringify(songs),
    });
    expect(response.status).toBe(403);
  });
});

/** Returns the events of a stream, after a check of their lengths and checksums. */
function framesIn(bytes: Buffer): { text: string }[] {
  const frames: { text: string }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (at + length > bytes.length) throw new Error("incomplete");
    const frame = bytes.subarray(at, at + length);
    expect(frame.readUInt32BE(8)).toBe(crc32(frame.subarray(0, 8)));
    expect(frame.readUInt32BE(length - 4)).toBe(crc32(frame.subarray(0, -4)));
    frames.push({ text: frame.toString("latin1") });
    at += length;
  }
  return frames;
}
