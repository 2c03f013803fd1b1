import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { JsonObject } from "@tollgate/core/json";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { chatFromMessages } from "./request.ts";

function translated(
  more: JsonObject,
  kind: keyof typeof vendors = "openai",
  inputs: readonly ChatInput[] = [],
  upstreamModel = "us.anthropic.claude-opus-4-8-v1:0",
  vision = true,
): JsonObject {
  const request = { model: "m", max_tokens: 1_000, messages: [user("Hi")], ...more };
  const slot = { upstreamModel, provider: { kind: vendors[kind] as ProviderKind } } as Slot;
  return chatFromMessages(request, slot, { inputs: new Set(inputs), vision });
}

function user(content: unknown): JsonObject {
  return { role: "user", content };
}

const mark = { cache_control: { type: "ephemeral" } };
const schema = { type: "object", properties: {} };
const image = { type: "base64", media_type: "image/png", data: "aGk=" };
const tool = { name: "f", input_schema: schema };
const called = { type: "function", function: { name: "f", parameters: schema } };

/** The members of a request, in the order of the reference: https://docs.claude.com/en/api/messages */
test.each<[string, JsonObject, JsonObject]>([
  ["metadata", { metadata: { user_id: "u" } }, { user: "u" }],
  ["metadata", { metadata: { user_id: null } }, {}],
  ["service_tier", { service_tier: "auto" }, {}],
  ["service_tier", { service_tier: "standard_only" }, {}],
  ["stop_sequences", { stop_sequences: ["a", "b"] }, { stop: ["a", "b"] }],
  ["stream", { stream: true }, {}],
  ["temperature", { temperature: 0 }, { temperature: 0 }],
  ["top_k", { top_k: 5 }, { top_k: 5 }],
  ["top_p", { top_p: 0.5 }, { top_p: 0.5 }],
  ["thinking", { thinking: { type: "disabled" } }, {}],
  ["thinking", { thinking: { type: "enabled", budget_tokens: 300 } }, { reasoning_effort: "low" }],
  [
    "thinking",
    { thinking: { type: "enabled", budget_tokens: 650 } },
    { reasoning_effort: "medium" },
  ],
  ["thinking", { thinking: { type: "enabled", budget_tokens: 900 } }, { reasoning_effort: "high" }],
  ["thinking", { thinking: { type: "adaptive" } }, { reasoning_effort: "high" }],
  ["output_config", { output_config: { effort: "max" } }, { reasoning_effort: "max" }],
  [
    "output_config",
    { output_config: { format: { type: "json_schema", schema } } },
    {
      response_format: {
        type: "json_schema",
        json_schema: { name: "response", schema, strict: true },
      },
    },
  ],
  ["tools", { tools: [] }, {}],
  ["tools", { tools: [{ ...tool, type: "custom", ...mark }] }, { tools: [called] }],
  ["tool_choice", { tool_choice: { type: "auto" } }, { tool_choice: "auto" }],
  ["tool_choice", { tool_choice: { type: "any" } }, { tool_choice: "required" }],
  ["tool_choice", { tool_choice: { type: "none" } }, { tool_choice: "none" }],
  [
    "tool_choice",
    { tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true } },
    {
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
    },
  ],
])("%s %j becomes %j", (_, member, expected) => {
  const { messages: _messages, ...chat } = translated(member);
  expect(chat).toEqual(expected);
});

test.each<[JsonObject[], JsonObject[]]>([
  [[user("Hi")], [user("Hi")]],
  [[user([{ type: "text", text: "Hi", ...mark }])], [user("Hi")]],
  [
    [
      user([
        { type: "image", source: image },
        { type: "text", text: "What?" },
      ]),
    ],
    [
      user([
        { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        { type: "text", text: "What?" },
      ]),
    ],
  ],
  [
    [user([{ type: "document", title: "T", source: { type: "text", data: "Text." } }])],
    [user("T\n\nText.")],
  ],
  [
    [
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }] },
      user([
        { type: "text", text: "And?" },
        { type: "tool_result", tool_use_id: "t", content: "No.", is_error: true },
      ]),
    ],
    [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "t", content: "Error: No." },
      user("And?"),
    ],
  ],
  [
    [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "s" },
          { type: "redacted_thinking", data: "d" },
          { type: "text", text: "Hi", citations: null },
        ],
      },
    ],
    [
      {
        role: "assistant",
        content: "Hi",
        reasoning_content: "Hm.",
        reasoning_details: [
          { type: "reasoning.text", text: "Hm.", signature: "s", format: "anthropic-claude-v1" },
          { type: "reasoning.encrypted", data: "d", format: "anthropic-claude-v1" },
        ],
      },
    ],
  ],
  [
    [
      user("Hi"),
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "" }] },
      { role: "assistant", content: [{ type: "redacted_thinking", data: "d" }] },
      { role: "assistant", content: [{ type: "text", text: "" }] },
      { role: "assistant", content: "" },
      user("Go"),
    ],
    [user("Hi"), user("Go")],
  ],
  [
    [
      user([
        { type: "tool_result", tool_use_id: "a" },
        { type: "tool_result", tool_use_id: "b", content: [] },
        {
          type: "tool_result",
          tool_use_id: "c",
          is_error: true,
          content: [
            { type: "text", text: "Two:" },
            { type: "image", source: image },
            { type: "image", source: { type: "url", url: "https://a.test/b.png" } },
            { type: "image", source: { type: "file", file_id: "f" } },
          ],
        },
        {
          type: "tool_result",
          tool_use_id: "d",
          content: [
            {
              type: "document",
              title: "a.pdf",
              source: { ...image, media_type: "application/pdf" },
            },
            { type: "document", source: { type: "text", data: "Text." } },
            {
              type: "document",
              source: { type: "content", content: [{ type: "text", text: "Inner." }] },
            },
            {
              type: "search_result",
              source: "https://a.test",
              title: "A",
              content: [{ type: "text", text: "Found." }],
            },
          ],
        },
      ]),
    ],
    [
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "tool", tool_call_id: "b", content: "" },
      {
        role: "tool",
        tool_call_id: "c",
        content: [
          { type: "text", text: "Error: " },
          { type: "text", text: "Two:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "image_url", image_url: { url: "https://a.test/b.png" } },
          { type: "text", text: "[image left out: this model does not take it]" },
        ],
      },
      {
        role: "tool",
        tool_call_id: "d",
        content: [
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" },
          },
          { type: "text", text: "Text." },
          { type: "text", text: "Inner." },
          { type: "text", text: "A\n\nhttps://a.test\n\nFound." },
        ],
      },
    ],
  ],
])("the messages %j become %j", (messages, expected) => {
  expect(translated({ messages }).messages).toEqual(expected);
});

test("marks of the prompt cache are kept for a provider that has them", () => {
  const request = {
    system: [{ type: "text", text: "S", ...mark }],
    messages: [user([{ type: "tool_result", tool_use_id: "t", content: "R", ...mark }])],
    tools: [{ ...tool, ...mark }],
  };
  expect(translated(request, "bedrock")).toEqual({
    messages: [
      { role: "system", content: [{ type: "text", text: "S", ...mark }] },
      { role: "tool", tool_call_id: "t", content: [{ type: "text", text: "R", ...mark }] },
    ],
    tools: [{ ...called, ...mark }],
  });
  expect(JSON.stringify(translated(request))).not.toContain("cache_control");
});

const nova = "amazon.nova-pro-v1:0";
const thought = { thinking: { type: "adaptive" }, output_config: { effort: "low" } };
const serial = { tool_choice: { type: "auto", disable_parallel_tool_use: true } };

test.each<[keyof typeof vendors, string, JsonObject, JsonObject]>([
  ["openai", "gpt-5.4", thought, { reasoning_effort: "low" }],
  ["openai", "gpt-4o", thought, {}],
  ["openai", "meta-llama/Llama-3.3-70B-Instruct", thought, {}],
  ["openai", "deepseek-r1-distill-llama-70b", thought, { reasoning_effort: "low" }],
  ["azure", "gpt-4.1", { thinking: { type: "enabled", budget_tokens: 300 } }, {}],
  ["xai", "grok-4-fast-non-reasoning", thought, {}],
  ["xai", "grok-3-mini", thought, { reasoning_effort: "low" }],
  ["openai", "gpt-4o", serial, { tool_choice: "auto", parallel_tool_calls: false }],
  ["google", "gemini-2.5-pro", serial, { tool_choice: "auto" }],
  ["cohere", "command-a-03-2025", serial, { tool_choice: "auto" }],
  ["bedrock", nova, serial, { tool_choice: "auto" }],
  ["openai", "gpt-4o", mark, {}],
])("what %s (%s) has no place for is left out of %j", (kind, model, member, expected) => {
  const { messages, ...chat } = translated(member, kind, [], model);
  expect(chat).toEqual(expected);
  expect(messages).toEqual([user("Hi")]);
});

test("the automatic mark of a request is on the last part, where there are marks", () => {
  const marked = [user([{ type: "text", text: "Hi", ...mark }])];
  expect(translated(mark, "bedrock").messages).toEqual(marked);
  expect(translated(mark, "bedrock", [], nova).messages).toEqual(marked);
  expect(translated(mark, "bedrock", [], "meta.llama3-70b-instruct-v1:0").messages).toEqual([
    user("Hi"),
  ]);
});

test.each<[string, JsonObject]>([
  ["container", { container: "c" }],
  ["inference_geo", { inference_geo: "us" }],
  ["mcp_servers", { mcp_servers: [{}] }],
  ["speed", { speed: "fast" }],
  ["service_tier", { service_tier: "priority" }],
  ["context_management.edits[0]", { context_management: { edits: [{ type: "clear", keep: 3 }] } }],
  ["metadata.team", { metadata: { team: "t" } }],
  ["output_config.task_budget", { output_config: { task_budget: {} } }],
  ["thinking.type", { thinking: { type: "between_tools" } }],
  ["tools[0].type", { tools: [{ type: "bash_20250124", name: "bash" }] }],
  ["tools[0].allowed_callers", { tools: [{ ...tool, allowed_callers: ["direct"] }] }],
  ["messages[0].content[0].type", { messages: [user([{ type: "search_result" }])] }],
  [
    "messages[0].content[0].source.type",
    { messages: [user([{ type: "image", source: { type: "file", file_id: "f" } }])] },
  ],
  [
    "messages[0].content[0].source.type",
    { messages: [user([{ type: "document", source: { type: "url", url: "u" } }])] },
  ],
  [
    "messages[0].content[0].type",
    { messages: [{ role: "assistant", content: [{ type: "server_tool_use" }] }] },
  ],
  [
    "messages[0].content[0].citations",
    { messages: [{ role: "assistant", content: [{ type: "text", text: "a", citations: [{}] }] }] },
  ],
  ["messages[0].name", { messages: [{ ...user("a"), name: "n" }] }],
])("%s is refused: %j", (param, member) => {
  expect(() => translated(member)).toThrow(
    expect.objectContaining({ code: "invalid_param", param }),
  );
});

test("a tool that is deferred is one of the tools", () => {
  const deferred = { ...tool, defer_loading: true };
  expect(translated({ tools: [deferred] })).toEqual(translated({ tools: [tool] }));
});

const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0x" };

test("a PDF is a file where the model and its provider take one, with its context as text", () => {
  const block = { type: "document", source: pdf, title: "Bill", context: "Of May.", ...mark };
  const file = { filename: "Bill.pdf", file_data: "data:application/pdf;base64,JVBERi0x" };
  const parts = [
    { type: "text", text: "Bill\n\nOf May." },
    { type: "file", file },
  ];
  const messages = [user([block])];
  expect(translated({ messages }, "openai", ["pdf"]).messages).toEqual([user(parts)]);
  const refused = { param: "messages[0].content[0].source.type" };
  for (const kind of ["cohere", "xai"] as const) {
    expect(() => translated({ messages }, kind, ["pdf"])).toThrow(expect.objectContaining(refused));
  }
  expect(() => translated({ messages })).toThrow("this model does not take pdf");
});

test("a PDF and an image beside a result are notes where the model does not take them", () => {
  const result = { type: "tool_result", tool_use_id: "t", content: "PDF file read" };
  const read = [
    { type: "document", source: pdf, ...mark },
    { type: "image", source: image },
    { type: "text", text: "And?" },
  ];
  const messages = [user([result, ...read])];
  const partsOf = (...to: [keyof typeof vendors, ChatInput[], string?, boolean?]) => {
    const [kind, inputs, id, vision] = to;
    const [tool, beside] = translated({ messages }, kind, inputs, id, vision)
      .messages as JsonObject[];
    expect(tool).toEqual({ role: "tool", tool_call_id: "t", content: "PDF file read" });
    return beside?.content;
  };
  const [file, picture] = ["file", "image"].map((name) => ({
    type: "text",
    text: `[${name} left out: this model does not take it]`,
  }));
  const text = { type: "text", text: "And?" };
  expect(partsOf("openai", [], undefined, false)).toEqual([file, picture, text]);
  expect(partsOf("bedrock", [])).toMatchObject([{ ...file, ...mark }, { type: "image_url" }, text]);
  expect(partsOf("openai", ["pdf"])).toMatchObject([{ type: "file" }, { type: "image_url" }, text]);
});

test("a document of blocks is those blocks", () => {
  const content = [
    { type: "text", text: "One" },
    { type: "image", source: image },
  ];
  const messages = [user([{ type: "document", source: { type: "content", content } }])];
  expect(translated({ messages }).messages).toEqual([
    user([
      { type: "text", text: "One" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ]),
  ]);
  const plain = [user([{ type: "document", source: { type: "content", content: "Two" } }])];
  expect(translated({ messages: plain }).messages).toEqual([user("Two")]);
});
