import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scripted } from "../chat/script.ts";
import { type Simulator, startSimulator } from "../simulator.ts";

const readTool = {
  type: "function" as const,
  name: "read",
  strict: true,
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

describe("the Responses route, by the openai client", () => {
  let simulator: Simulator;
  let client: OpenAI;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
    client = new OpenAI({ apiKey: "key", baseURL: `${simulator.url}/v1`, maxRetries: 0 });
  });

  afterAll(() => simulator.close());

  test("create responds with a text", async () => {
    const response = await client.responses.create({ model: "m", input: "Hello" });
    expect(response.output_text).toBe("You said: Hello");
  });

  test("parse returns the value of the requested schema", async () => {
    const { output_parsed } = await client.responses.parse({
      model: "m",
      input: "Where?",
      text: {
        format: { type: "json_schema", name: "place", strict: true, schema: readTool.parameters },
      },
    });
    expect(output_parsed).toEqual({ path: expect.any(String) });
  });

  test.each([
    ["text", {}, 0],
    ["parallel calls", { model: "m?calls=2", tools: [readTool] }, 2],
    ["reasoning", { reasoning: { effort: "low", summary: "auto" } } as const, 0],
    ["a refusal", { model: "m?refusal" }, 0],
  ])("stream accumulates %s to the final response", async (_, more, calls) => {
    const stream = client.responses.stream({ model: "m", input: "Hello", ...more });
    const done: string[] = [];
    stream.on("response.output_item.done", ({ item }) => done.push(item.id ?? ""));
    const { output, status } = await stream.finalResponse();
    expect(status).toBe("completed");
    expect(output.map(({ id }) => id)).toEqual(done);
    expect(output.filter(({ type }) => type === "function_call")).toHaveLength(calls);
  });

  test("an error of the API is an error of the client", async () => {
    const refused = client.responses.create({
      model: "m",
      input: "Hello",
      previous_response_id: "resp_1",
    });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  });

  test("a script of an agent is followed, step by step", async () => {
    const steps = [
      { tool: "read", arguments: { path: "README.md" } },
      { tool: "apply_patch", arguments: "*** Begin Patch" },
      { text: "The work is done." },
    ];
    const tools = [readTool, { type: "custom" as const, name: "apply_patch" }];
    const input: OpenAI.Responses.ResponseInput = [
      { role: "user", content: `Do it. ${scripted(steps)}` },
    ];
    const made: unknown[] = [];
    for (;;) {
      const { output, output_text } = await client.responses.create({ model: "m", input, tools });
      const [item] = output;
      if (item?.type === "function_call") {
        made.push([item.name, item.arguments]);
        const { call_id } = item;
        input.push(item, { type: "function_call_output", call_id, output: "text" });
      } else if (item?.type === "custom_tool_call") {
        made.push([item.name, item.input]);
        const { call_id } = item;
        input.push(item, { type: "custom_tool_call_output", call_id, output: "text" });
      } else {
        made.push(output_text);
        break;
      }
    }
    expect(made).toEqual([
      ["read", '{"path":"README.md"}'],
      ["apply_patch", "*** Begin Patch"],
      "The work is done.",
    ]);
  });
});
