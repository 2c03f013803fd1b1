import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { readFile } from "../src/chat-parts.ts";
import { expectEnvelope } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { client, chat, lastSent } = await sharedStack();

describe("tools of a chat with a provider of the kind bedrock", () => {
  test.each([
    ["test-bedrock", false],
    ["test-bedrock-parallel", false],
    ["test-bedrock-parallel", true],
    ["test-bedrock-nova", true],
  ])("calls the tools of %s and takes their results; stream: %s", async (model, stream) => {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { model, tools: [readFile] };
    const called = stream
      ? await client.chat.completions.stream({ ...request, messages }).finalChatCompletion()
      : await client.chat.completions.create({ ...request, messages });
    const message = called.choices[0]?.message;
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    const count = model === "test-bedrock-parallel" ? 3 : 1;
    expect(message?.tool_calls).toMatchObject(
      Array.from({ length: count }, () => ({
        function: { name: "read_file", arguments: '{"path":"README.md"}' },
      })),
    );
    if (message === undefined) return;
    // Clients send an empty text beside calls.
    messages.push({ ...message, content: "" });
    for (const { id } of message.tool_calls ?? []) {
      messages.push({ role: "tool", tool_call_id: id, content: `contents for ${id}` });
    }
    const done = await client.chat.completions.create({ ...request, messages });
    expect(done.choices[0]?.message.content).toContain("The tool returned: contents for ");
  });

  test.each([
    ["auto", "auto", { auto: {} }],
    ["required", "required", { any: {} }],
    [
      "a named function",
      { type: "function", function: { name: "read_file" } },
      { tool: { name: "read_file" } },
    ],
  ])("sends the tool choice %s", async (_, tool_choice, toolChoice) => {
    const response = await chat("test-bedrock", { tools: [readFile], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({ toolConfig: { toolChoice } });
  });

  test("sends the marks of tools, and a named choice with the other tools", async () => {
    const other = { ...readFile, function: { ...readFile.function, name: "other" } };
    const marked = { ...readFile, cache_control: { type: "ephemeral", ttl: "1h" } };
    const tool_choice = { type: "function", function: { name: "other" } };
    const response = await chat("test-bedrock", { tools: [marked, other], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({
      toolConfig: {
        tools: [
          { toolSpec: { name: "read_file" } },
          { cachePoint: { type: "default", ttl: "1h" } },
          { toolSpec: { name: "other" } },
        ],
        toolChoice: { tool: { name: "other" } },
      },
    });
  });

  test("sends the tools of earlier calls in a request without tools", async () => {
    const messages = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "text" },
    ];
    const response = await chat("test-bedrock", { messages });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { name: "f" } }], toolChoice: { auto: {} } },
    });
  });

  test("merges two messages of a user around one that says nothing", async () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "" },
      { role: "user", content: "go" },
    ];
    expect((await chat("test-bedrock", { messages })).status).toBe(200);
    expect(lastSent()).toMatchObject({
      messages: [{ role: "user", content: [{ text: "hi" }, { text: "go" }] }],
    });
  });

  test("sends no tools where none may be called", async () => {
    const response = await chat("test-bedrock", { tools: [readFile], tool_choice: "none" });
    expect(response.status).toBe(200);
    expect(lastSent()).not.toHaveProperty("toolConfig");
  });

  test("lets Claude call one tool at a time", async () => {
    const more = { tools: [readFile], parallel_tool_calls: false };
    const response = await chat("test-bedrock-parallel", more);
    const { choices } = response.body as { choices: [{ message: { tool_calls: object[] } }] };
    expect(choices[0].message.tool_calls).toHaveLength(1);
    expectEnvelope(
      await chat("test-bedrock-nova", more),
      400,
      "invalid_param",
      "parallel_tool_calls",
    );
  });
});
