import { expect, test } from "vitest";
import { messagesTools } from "./tool-calls.ts";

test("the tools of a request that Anthropic runs are known by their types, whatever their dates", () => {
  const tools = [
    { name: "web_search", input_schema: {} },
    { type: "bash_20250124", name: "bash" },
    { type: "web_search_20260318", name: "web_search", max_uses: 2 },
    { type: "mcp_toolset", mcp_server_name: "m" },
  ];
  expect(messagesTools({ tools })).toEqual([
    { tool: "web_search", maxCalls: 2n },
    { tool: "mcp", maxCalls: undefined },
  ]);
});

test("tools that messages add are offered, too", () => {
  const definition = { type: "web_search_20260318", name: "web_search" };
  const added = { type: "tool_addition", tool: { type: "tool_definition", definition } };
  const removed = { ...added, type: "tool_removal" };
  for (const content of [[added, removed], [{ type: "compaction", tool_changes: [added] }]]) {
    const messages = [
      { role: "user", content: "hello" },
      { role: "user", content },
    ];
    expect(messagesTools({ messages })).toEqual([{ tool: "web_search", maxCalls: undefined }]);
  }
});
