import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CompletionJson, jsonOf, postToSimulator } from "../../test/client.ts";
import { type Simulator, startSimulator } from "../simulator.ts";
import { scripted } from "./script.ts";

const steps = [
  { tool: "edit", arguments: { path: "a.txt", text: "“quoted”" } },
  { tool: "read", arguments: { path: "a.txt" } },
  { text: "The file has the text." },
];
const prompt = `Edit the file. ${scripted(steps)}`;
const parameters = { type: "object", properties: { path: { type: "string" } } };
const functions = ["read", "edit"].map((name) => ({
  type: "function",
  function: { name, parameters },
}));

describe("a scripted model", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(path: string, body: object) {
    const response = await fetch(`${simulator.url}${path}`, {
      method: "POST",
      headers: {
        authorization: "Bearer key",
        "x-api-key": "key",
        "x-goog-api-key": "key",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  async function chat(messages: object[], more: object = {}) {
    const body = { model: "m", messages, tools: functions, ...more };
    const { choices } = await jsonOf<CompletionJson>(await postToSimulator(simulator.url, body));
    return choices[0];
  }

  const user = { role: "user", content: prompt };
  const called = { role: "assistant", content: null, tool_calls: [{ id: "a" }] };
  const result = { role: "tool", tool_call_id: "a", content: "done" };

  test.each([
    ["the first step", [user], { name: "edit", arguments: JSON.stringify(steps[0]?.arguments) }],
    ["the step after a result", [user, called, result], { name: "read" }],
    ["parallel results as one", [user, called, result, result], { name: "read" }],
  ])("calls tools by its steps: %s", async (_, messages, expected) => {
    expect(await chat(messages)).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: expected }] },
    });
  });

  test("ends with the text of its last step, and then responds as without a script", async () => {
    const rounds = [user, called, result, called, result];
    expect((await chat(rounds))?.message.content).toBe("The file has the text.");
    const after = await chat([...rounds, { role: "assistant", content: "" }, called, result]);
    expect(after?.message.content).toBe("The tool returned: done");
  });

  test("a later script replaces an earlier one", async () => {
    const next = { role: "user", content: scripted([{ text: "Hello again." }]) };
    expect((await chat([user, called, result, next]))?.message.content).toBe("Hello again.");
  });

  test("says which tool the request does not have", async () => {
    const choice = await chat([user], { tools: functions.slice(0, 1) });
    expect(choice?.message.content).toContain("calls edit, which the request does not");
  });

  test("responds with text to a request without tools, such as one for a title", async () => {
    const choice = await chat([user], { tools: undefined });
    expect(choice?.message.content).toContain("You said: Edit the file.");
  });

  test("fails when the script is not a list of steps", async () => {
    const encoded = Buffer.from('[{"call":"read"}]').toString("base64url");
    const messages = [{ role: "user", content: `[[steps:${encoded}]]` }];
    const { status } = await postToSimulator(simulator.url, { model: "m", messages });
    expect(status).toBe(500);
  });

  const tools = ["read", "edit"].map((name) => ({ name, input_schema: parameters }));
  const declarations = ["read", "edit"].map((name) => ({ name, parametersJsonSchema: parameters }));
  const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: parameters } } });
  test.each([
    [
      "Messages",
      "/v1/messages",
      { model: "m", max_tokens: 1_000, messages: [user], tools },
      { content: [{ name: "edit", input: steps[0]?.arguments }] },
    ],
    [
      "Responses",
      "/v1/responses",
      {
        model: "m",
        input: [user],
        tools: ["read", "edit"].map((name) => ({ type: "function", name, parameters })),
      },
      { output: [{ name: "edit", arguments: JSON.stringify(steps[0]?.arguments) }] },
    ],
    [
      "Gemini",
      "/google/v1beta/models/gemini-2.5-flash:generateContent",
      {
        contents: [{ role: "user", parts: [{ text: prompt }] }],
        tools: [{ functionDeclarations: declarations }],
      },
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: "edit", args: steps[0]?.arguments } }] } },
        ],
      },
    ],
    [
      "Converse",
      "/bedrock/model/m/converse",
      {
        messages: [{ role: "user", content: [{ text: prompt }] }],
        toolConfig: { tools: [spec("read"), spec("edit")] },
      },
      { output: { message: { content: [{ toolUse: { name: "edit" } }] } } },
    ],
    [
      "Mistral",
      "/mistral/v1/chat/completions",
      { model: "m", messages: [user], tools: functions },
      { choices: [{ message: { tool_calls: [{ function: { name: "edit" } }] } }] },
    ],
    [
      "Cohere",
      "/cohere/v2/chat",
      { model: "m", messages: [user], tools: functions },
      { message: { tool_calls: [{ function: { name: "edit" } }] } },
    ],
  ])("is scripted the same way on the route of %s", async (_, path, body, expected) => {
    expect(await post(path, body)).toMatchObject({ status: 200, body: expected });
  });
});
