import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/** The requests of Mistral's reference: https://docs.mistral.ai/api/endpoint/chat */
const user = { role: "user", content: "Who is the best French painter?" };
const hello = { model: "mistral-small-latest", messages: [user] };
const tool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: {} } },
};

function looped(id: string) {
  const call = { id, type: "function", function: { name: "get_weather", arguments: "{}" } };
  const messages = [
    user,
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", name: "get_weather", tool_call_id: id, content: "sunny" },
  ];
  return { ...hello, messages };
}

describe("Mistral's chat completions", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(body: object, key = "key") {
    const sent = await fetch(`${simulator.url}/mistral/v1/chat/completions`, {
      method: "POST",
      headers: key === "" ? {} : { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    return { status: sent.status, text: await sent.text() };
  }

  test("respond to a documented request", async () => {
    const { status, text } = await post(hello);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      object: "chat.completion",
      model: "mistral-small-latest",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: `You said: ${user.content}`, tool_calls: null },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 8, completion_tokens: 11, total_tokens: 19 },
    });
  });

  test("stream whole calls with the finish reason and the usage", async () => {
    const { text } = await post({ ...hello, tools: [tool], tool_choice: "any", stream: true });
    const events = text.trim().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(JSON.parse(events.at(-2)?.slice("data: ".length) ?? "")).toMatchObject({
      choices: [
        {
          delta: { tool_calls: [{ function: { name: "get_weather" }, index: 0 }] },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 8 },
    });
  });

  test("of Magistral have content with thinking", async () => {
    const { text } = await post({ ...hello, model: "magistral-medium-latest" });
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: [{ type: "thinking" }, { type: "text" }] } }],
    });
  });

  test("take the results of calls", async () => {
    expect((await post(looped("D681PevKs"))).text).toContain("The tool returned: sunny");
  });

  test.each([
    [422, "Extra inputs are not permitted", { ...hello, max_completion_tokens: 5 }],
    [422, "Extra inputs are not permitted", { ...hello, seed: 5 }],
    [422, "Extra inputs are not permitted", { ...hello, stream_options: {} }],
    [422, "temperature", { ...hello, temperature: 1.6 }],
    [422, "messages", { ...hello, messages: [] }],
    [400, "with a length of 9", looped("call_1")],
    [
      400,
      "Unexpected role 'system'",
      {
        ...hello,
        messages: [user, { role: "assistant", content: "a" }, { role: "system", content: "b" }],
      },
    ],
    [
      400,
      "Expected last role User or Tool",
      { ...hello, messages: [user, { role: "assistant", content: "a" }] },
    ],
  ])("refuse with %s: %s", async (status, message, body) => {
    const refused = await post(body);
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(message);
    expect(JSON.parse(refused.text)).toMatchObject({ object: "error", raw_status_code: status });
  });

  test("have embeddings beside them, without OpenAI's dimensions", async () => {
    const embed = async (more: object) => {
      const body = JSON.stringify({ model: "mistral-embed", input: ["a", "b"], ...more });
      const init = { method: "POST", body };
      const sent = await fetch(`${simulator.url}/mistral/v1/embeddings`, init);
      return { status: sent.status, body: (await sent.json()) as object };
    };
    expect(await embed({})).toMatchObject({
      status: 200,
      body: {
        object: "list",
        data: [{ index: 0 }, { index: 1 }],
        usage: { prompt_tokens: 2, total_tokens: 2 },
      },
    });
    expect((await embed({ dimensions: 5 })).status).toBe(400);
  });

  test("refuse a request without a key", async () => {
    expect((await post(hello, "")).status).toBe(401);
  });
});
