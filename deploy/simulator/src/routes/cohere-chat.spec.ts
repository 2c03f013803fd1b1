import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/** The requests of Cohere's reference: https://docs.cohere.com/reference/chat */
const user = { role: "user", content: "Tell me about LLMs" };
const hello = { model: "command-a-03-2025", messages: [user] };
const tool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: {} } },
};
const call = {
  id: "get_weather_1",
  type: "function",
  function: { name: "get_weather", arguments: "{}" },
};

describe("Cohere's chat", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(body: object, key = "key") {
    const sent = await fetch(`${simulator.url}/cohere/v2/chat`, {
      method: "POST",
      headers: key === "" ? {} : { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    return { status: sent.status, text: await sent.text() };
  }

  async function eventsOf(body: object): Promise<{ type: string }[]> {
    const { text } = await post({ ...body, stream: true });
    return text
      .trim()
      .split("\n\n")
      .map((event) => {
        const [name, data = ""] = event.split("\ndata: ");
        const parsed = JSON.parse(data) as { type: string };
        expect(name).toBe(`event: ${parsed.type}`);
        return parsed;
      });
  }

  test("responds to a documented request, with what is billed and what was counted", async () => {
    const { status, text } = await post(hello);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      id: expect.any(String),
      message: {
        role: "assistant",
        content: [{ type: "text", text: `You said: ${user.content}` }],
      },
      finish_reason: "COMPLETE",
      usage: {
        billed_units: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
        tokens: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      },
    });
  });

  test("streams events in the documented order", async () => {
    const events = await eventsOf({ ...hello, thinking: { type: "enabled", token_budget: 9 } });
    const types = events.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "message-start",
      ...["content-start", "content-delta", "content-end"],
      ...["content-start", "content-delta", "content-end"],
      "message-end",
    ]);
    expect(events.at(-1)).toMatchObject({
      delta: { finish_reason: "COMPLETE", usage: { billed_units: {} } },
    });
  });

  test("streams a call by its start, its arguments and its end", async () => {
    const events = await eventsOf({ ...hello, tools: [tool], tool_choice: "REQUIRED" });
    expect(events.map(({ type }) => type)).toEqual([
      "message-start",
      "tool-call-start",
      "tool-call-delta",
      "tool-call-end",
      "message-end",
    ]);
    expect(events.at(-1)).toMatchObject({ delta: { finish_reason: "TOOL_CALL" } });
  });

  test("takes the results of calls, after a plan", async () => {
    const messages = [
      user,
      { role: "assistant", tool_plan: "I will look.", tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "sunny" },
    ];
    expect((await post({ ...hello, messages })).text).toContain("The tool returned: sunny");
  });

  test.each([
    ["max_completion_tokens", { max_completion_tokens: 5 }],
    ["top_p", { top_p: 0.5 }],
    ["temperature", { temperature: 1.1 }],
    ["messages", { messages: [] }],
    ["tool_choice", { tools: [tool], tool_choice: "auto" }],
    ["response_format", { tools: [tool], response_format: { type: "json_object" } }],
  ])("refuses what the reference does not have: %s", async (name, more) => {
    const { status, text } = await post({ ...hello, ...more });
    expect([400, 422]).toContain(status);
    expect(JSON.parse(text)).toEqual({
      id: expect.any(String),
      message: expect.stringContaining(name),
    });
  });

  test("refuses a request without a key", async () => {
    expect((await post(hello, "")).status).toBe(401);
  });
});
