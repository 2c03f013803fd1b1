import { expect, test } from "vitest";
import { reportedToolCalls, responsesTools, toolCallIn, toolCallInEvent } from "./tool-calls.ts";

test.each([
  ["web_search_call", "web_search"],
  ["file_search_call", "file_search"],
  ["code_interpreter_call", "code_execution"],
  ["image_generation_call", "image_generation"],
  ["mcp_call", "mcp"],
  ["function_call", undefined],
  ["constructor", undefined],
])("an item of the type %s is a call of %s", (type, tool) => {
  const call = tool === undefined ? undefined : { tool, quantity: 1n };
  expect(toolCallIn({ type })).toEqual(call);
  expect(toolCallInEvent({ type: "response.output_item.added", item: { type } })).toEqual(call);
  expect(toolCallInEvent({ type: "response.output_item.done", item: { type } })).toBeUndefined();
});

test("a page that a search opens is no search, which is known when the item is done", () => {
  const item = { type: "web_search_call", action: { type: "open_page" } };
  expect(toolCallIn(item)).toBeUndefined();
  expect(toolCallInEvent({ type: "response.output_item.done", item })).toEqual({
    tool: "web_search",
    quantity: -1n,
  });
});

test("OpenAI's own count of searches is read, none included", () => {
  const web_search = { num_requests: 0 };
  expect(reportedToolCalls({ tool_usage: { web_search } })).toEqual([
    { tool: "web_search", quantity: 0n },
  ]);
  for (const tool_usage of [undefined, null, {}, { web_search: { num_requests: -1 } }]) {
    expect(reportedToolCalls({ tool_usage })).toEqual([]);
  }
});

test("the tools of a request that the provider runs are those of its members and of its input", () => {
  const input = [{ type: "additional_tools", tools: [{ type: "mcp" }, { type: "custom" }] }];
  const tools = [{ type: "function" }, { type: "web_search_2025_08_26" }];
  expect(responsesTools({ input, tools, max_tool_calls: 3 })).toEqual([
    { tool: "web_search", maxCalls: 3n },
    { tool: "mcp", maxCalls: 3n },
  ]);
  expect(responsesTools({ input: "x" })).toEqual([]);
});

test("a shell costs what the provider's container does, unless it is the client's", () => {
  const inContainer = { type: "shell", environment: { type: "container_auto" } };
  const own = { type: "shell", environment: { type: "local" } };
  expect(responsesTools({ tools: [own, { type: "shell" }, inContainer] })).toEqual([
    { tool: "code_execution", maxCalls: undefined },
  ]);
  const call = { ...inContainer, type: "shell_call" };
  expect(toolCallIn(call)).toEqual({ tool: "code_execution", quantity: 1n });
  expect(toolCallIn({ ...own, type: "shell_call" })).toBeUndefined();
});
