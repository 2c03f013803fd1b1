import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/**
 * The requests of OpenAI's reference and guides:
 * https://developers.openai.com/api/reference/resources/responses/methods/create and
 * https://developers.openai.com/api/docs/guides/function-calling
 */
const hello = { model: "gpt-5.5", input: "Tell me a story." };
const weatherTool = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather in a given location",
  parameters: {
    type: "object",
    properties: { location: { type: "string" } },
    required: ["location"],
    additionalProperties: false,
  },
  strict: true,
};
const weather = { ...hello, input: "What is the weather in Paris?", tools: [weatherTool] };
const patchTool = {
  type: "custom",
  name: "apply_patch",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
};
const reasoning = { effort: "low", summary: "auto" };
const encrypted = { include: ["reasoning.encrypted_content"], store: false };

interface StreamEvent {
  type: string;
  sequence_number: number;
  delta?: string;
  item_id?: string;
  item?: { id: string };
  response?: { id: string; output: { id: string }[]; usage: object | null };
}

describe("the Responses route", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(body: object) {
    const response = await fetch(`${simulator.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer key" },
      body: JSON.stringify(body),
    });
    return { response, text: await response.text() };
  }

  async function create(body: object) {
    const { response, text } = await post(body);
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    return JSON.parse(text);
  }

  /** Returns the events of a stream whose `event:` lines are their types. */
  async function stream(body: object): Promise<StreamEvent[]> {
    const { text } = await post({ ...body, stream: true });
    expect(text).not.toContain("[DONE]");
    return text
      .trim()
      .split("\n\n")
      .map((written) => {
        const [, name, data = ""] = /^event: (.+)\ndata: (.+)$/.exec(written) ?? [];
        const event = JSON.parse(data);
        expect(event.type).toBe(name);
        return event;
      });
  }

  test("responds to a documented request with a response", async () => {
    expect(await create(hello)).toEqual({
      id: expect.stringMatching(/^resp_/),
      object: "response",
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      status: "completed",
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      model: "gpt-5.5",
      output: [
        {
          id: expect.stringMatching(/^msg_/),
          type: "message",
          status: "completed",
          role: "assistant",
          content: [
            {
              type: "output_text",
              annotations: [],
              logprobs: [],
              text: "You said: Tell me a story.",
            },
          ],
        },
      ],
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: "default",
      store: true,
      temperature: 1,
      text: { format: { type: "text" }, verbosity: "medium" },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
      usage: {
        input_tokens: 4,
        input_tokens_details: { cache_write_tokens: 0, cached_tokens: 0 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 11,
      },
      user: null,
    });
  });

  test.each([
    ["text", hello, ["content_part.added", "output_text", "content_part.done"]],
    ["a function call", weather, ["function_call_arguments"]],
    ["a custom tool call", { ...hello, tools: [patchTool] }, ["custom_tool_call_input"]],
  ])("sends the events of %s in the documented order", async (_, body, parts) => {
    const events = await stream(body);
    const names = events.map(({ type }) => type);
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      ...parts.flatMap((part) => {
        if (part.includes(".")) return `response.${part}`;
        return [`response.${part}.delta`, `response.${part}.done`];
      }),
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  });

  test("sends the summary of a reasoning before the text", async () => {
    const events = await stream({ ...hello, reasoning, ...encrypted });
    const names = events.map(({ type }) => type).filter((type) => type.includes("reasoning"));
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
    ]);
  });

  test.each([
    ["text", hello],
    ["a reasoning and parallel calls", { ...weather, model: "m?calls=2", reasoning }],
  ])("the final object of a stream of %s has the ids and contents of its events", async (_, body) => {
    const events = await stream(body);
    const last = events.at(-1)?.response;
    expect(events[0]?.response).toMatchObject({ id: last?.id, output: [], usage: null });
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(last?.output).toEqual(done.map(({ item }) => item));
    for (const [index, { id }] of (last?.output ?? []).entries()) {
      const own = events.filter((event) => event.item_id === id);
      expect(own.every((event) => "output_index" in event && event.output_index === index)).toBe(
        true,
      );
      const texts = own.map(({ delta = "" }) => delta).join("");
      expect(JSON.stringify(last?.output[index])).toContain(JSON.stringify(texts).slice(1, -1));
    }
  });

  test("pads the deltas of a stream unless the request says otherwise", async () => {
    const padded = await stream(hello);
    const bare = await stream({ ...hello, stream_options: { include_obfuscation: false } });
    expect(padded.filter((event) => "obfuscation" in event)).not.toEqual([]);
    expect(bare.filter((event) => "obfuscation" in event)).toEqual([]);
  });

  test("calls a tool, and takes its result", async () => {
    const { output } = await create(weather);
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^fc_/),
        type: "function_call",
        status: "completed",
        arguments: expect.stringContaining("location"),
        call_id: expect.stringMatching(/^call_/),
        name: "get_weather",
      },
    ]);
    const result = { type: "function_call_output", call_id: output[0].call_id, output: "15 °C" };
    const input = [{ role: "user", content: weather.input }, ...output, result];
    const { output: said } = await create({ ...weather, input });
    expect(said[0].content[0].text).toBe("The tool returned: 15 °C");
  });

  test("calls a custom tool with free text, and takes its result", async () => {
    const { output } = await create({ ...hello, tools: [patchTool] });
    expect(output).toMatchObject([
      { id: expect.stringMatching(/^ctc_/), type: "custom_tool_call", name: "apply_patch" },
    ]);
    const result = { type: "custom_tool_call_output", call_id: output[0].call_id, output: "Done" };
    const input = [{ role: "user", content: "Patch it" }, ...output, result];
    const { output: said } = await create({ ...hello, tools: [patchTool], input });
    expect(said[0].content[0].text).toBe("The tool returned: Done");
  });

  test("takes its own encrypted reasoning back", async () => {
    const { output, usage } = await create({ ...weather, reasoning, ...encrypted });
    expect(output[0]).toEqual({
      id: expect.stringMatching(/^rs_/),
      type: "reasoning",
      encrypted_content: expect.stringMatching(/^gAAAAA/),
      summary: [{ type: "summary_text", text: expect.stringContaining("respond") }],
    });
    const { output_tokens, output_tokens_details: details } = usage;
    expect(details.reasoning_tokens).toBeGreaterThan(0);
    expect(output_tokens).toBeGreaterThan(details.reasoning_tokens);
    const result = { type: "function_call_output", call_id: output[1].call_id, output: "15 °C" };
    const input = [{ role: "user", content: weather.input }, ...output, result];
    await create({ ...weather, input, reasoning, ...encrypted });
  });

  test.each([
    ["a long text", { ...hello, model: "m?tokens=500" }],
    ["a reasoning that leaves no room", { ...hello, reasoning: { effort: "high" } }],
  ])("max_output_tokens ends %s, and is never exceeded", async (_, body) => {
    const cut = { ...body, max_output_tokens: 16 };
    const { status, incomplete_details, usage } = await create(cut);
    expect({ status, incomplete_details }).toEqual({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    expect(usage.output_tokens).toBe(16);
    expect((await stream(cut)).at(-1)?.type).toBe("response.incomplete");
  });

  test("returns JSON that matches the requested schema", async () => {
    const schema = weatherTool.parameters;
    const text = { format: { type: "json_schema", name: "place", schema, strict: true } };
    const { output } = await create({ ...hello, text });
    expect(JSON.parse(output[0].content[0].text)).toEqual({ location: expect.any(String) });
  });

  test("reports the cached and written tokens of the commands", async () => {
    const { usage } = await create({ ...hello, model: "m?usage=1000,50&cached=600,100,50" });
    expect(usage).toMatchObject({
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 600, cache_write_tokens: 150 },
      output_tokens: 50,
      total_tokens: 1_050,
    });
  });

  test("refuses, and is stopped by a content filter, on command", async () => {
    const refused = await create({ ...hello, model: "m?refusal" });
    expect(refused.output[0].content).toEqual([{ type: "refusal", refusal: expect.any(String) }]);
    const filtered = await create({ ...hello, metadata: { simulate: "blocked" } });
    expect(filtered).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      output: [{ status: "incomplete" }],
    });
  });
});
