import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { JsonObject } from "@tollgate/core/json";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { signatureOf } from "../signed-details.ts";
import { chatFromResponses } from "./request.ts";

function translated(
  more: JsonObject,
  kind: keyof typeof vendors = "openai",
  passes: readonly string[] = [],
  inputs: readonly ChatInput[] = [],
  upstreamModel = "m",
): JsonObject {
  const request = { model: "m", input: "Hi", ...more };
  const slot = { upstreamModel, provider: { kind: vendors[kind] as ProviderKind } } as Slot;
  return chatFromResponses(request, slot, { passes: new Set(passes), inputs: new Set(inputs) });
}

const parameters = { type: "object", properties: {} };
const tool = { type: "function", name: "f", parameters, strict: null };
const called = { type: "function", function: { name: "f", parameters } };
const tools = [called];
const asked = { role: "user", content: "Hi" };

/** The members of a request: https://platform.openai.com/docs/api-reference/responses/create */
test.each<[string, JsonObject, JsonObject]>([
  ["background", { background: false }, {}],
  ["client_metadata", { client_metadata: { a: "b" } }, {}],
  ["include", { include: ["reasoning.encrypted_content"] }, {}],
  ["metadata", { metadata: { a: "b" } }, {}],
  ["parallel_tool_calls", { parallel_tool_calls: false }, {}],
  [
    "parallel_tool_calls",
    { tools: [tool], parallel_tool_calls: false },
    { tools, parallel_tool_calls: false },
  ],
  ["parallel_tool_calls", { tools: [tool], parallel_tool_calls: true }, { tools }],
  ["prompt_cache_key", { prompt_cache_key: "k" }, {}],
  ["reasoning", { reasoning: { effort: "low", summary: "auto" } }, { reasoning_effort: "low" }],
  ["reasoning", { reasoning: { effort: null } }, {}],
  ["safety_identifier", { safety_identifier: "s", user: "u" }, { user: "s" }],
  ["service_tier", { service_tier: "auto" }, {}],
  ["store", { store: false }, {}],
  ["stream_options", { stream_options: { include_obfuscation: false } }, {}],
  ["temperature", { temperature: 0 }, { temperature: 0 }],
  ["text", { text: { format: { type: "text" }, verbosity: "medium" } }, {}],
  [
    "text",
    { text: { format: { type: "json_object" } } },
    { response_format: { type: "json_object" } },
  ],
  [
    "text",
    { text: { format: { type: "json_schema", name: "n", schema: {}, strict: true } } },
    {
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: {}, strict: true },
      },
    },
  ],
  ["tool_choice", { tools: [tool], tool_choice: "auto" }, { tools }],
  ["tool_choice", { tools: [tool], tool_choice: "none" }, { tools, tool_choice: "none" }],
  [
    "tool_choice",
    { tools: [tool], tool_choice: { type: "function", name: "f" } },
    { tools, tool_choice: { type: "function", function: { name: "f" } } },
  ],
  ["tools", { tools: [{ type: "web_search", external_web_access: false }] }, {}],
  ["top_logprobs", { top_logprobs: 0 }, {}],
  ["top_p", { top_p: 0.5 }, { top_p: 0.5 }],
  ["truncation", { truncation: "disabled" }, {}],
  ["user", { user: "u" }, { user: "u" }],
])("%s %j becomes %j", (_, member, expected) => {
  const { messages: _messages, ...chat } = translated(member);
  expect(chat).toEqual(expected);
});

test.each<[keyof typeof vendors, string, JsonObject, JsonObject]>([
  [
    "openai",
    "gpt-5.4",
    { reasoning: { effort: "low", context: "all_turns" } },
    { reasoning_effort: "low" },
  ],
  ["openai", "gpt-4o", { reasoning: { effort: "low" } }, {}],
  ["xai", "grok-4", { reasoning: { effort: "low" } }, {}],
  ["google", "gemini-2.5-pro", { tools: [tool], parallel_tool_calls: false }, { tools }],
  ["bedrock", "amazon.nova-pro-v1:0", { tools: [tool], parallel_tool_calls: false }, { tools }],
  ["openai", "m", { text: { verbosity: "low" } }, {}],
])("what %s (%s) has no place for is left out of %j", (kind, model, member, expected) => {
  const { messages: _messages, ...chat } = translated(member, kind, [], [], model);
  expect(chat).toEqual(expected);
});

test("what the model takes besides the API's members is sent where it has a place", () => {
  const members = { text: { verbosity: "low" }, prompt_cache_key: "k" };
  expect(translated(members, "openai", ["verbosity", "prompt_cache_key"])).toMatchObject({
    verbosity: "low",
    prompt_cache_key: "k",
  });
  expect(translated({ user: "u" }, "google")).not.toHaveProperty("user");
});

test("the tools that items add join those of the request, each name once", () => {
  const search = { type: "tool_search", execution: "client", description: "Finds.", parameters };
  const input = [
    {
      type: "additional_tools",
      tools: [tool, { type: "namespace", name: "n", tools: [{ ...tool, name: "g" }] }],
    },
    asked,
    { type: "tool_search_output", call_id: "s", tools: [{ ...tool, name: "h" }] },
  ];
  const named = (name: string) => ({ type: "function", function: { name, parameters } });
  expect(translated({ tools: [tool, search], input, tool_choice: "required" })).toMatchObject({
    tools: [
      named("f"),
      { type: "function", function: { name: "tool_search", description: "Finds.", parameters } },
      named("n__g"),
      named("h"),
    ],
    tool_choice: "required",
  });
  expect(translated({ tools: [{ type: "tool_search" }] })).not.toHaveProperty("tools");
});

test.each(["tools", "input[0].tools"])("a tool that OpenAI runs is refused in %s", (path) => {
  const tools = [tool, { type: "mcp" }];
  const request = path === "tools" ? { tools } : { input: [{ type: "additional_tools", tools }] };
  expect(() => translated(request)).toThrow(
    expect.objectContaining({ code: "invalid_param", param: `${path}[1].type` }),
  );
});

test("a custom tool is a function with its text as the argument", () => {
  const format = { type: "grammar", syntax: "lark", definition: "start: A" };
  const custom = { type: "custom", name: "patch", description: "Patches.", format };
  expect(translated({ tools: [custom] }).tools).toMatchObject([
    {
      type: "function",
      function: {
        name: "patch",
        description: "Patches.\n\nThe input must match this grammar (lark):\nstart: A",
        parameters: { required: ["input"], additionalProperties: false },
      },
    },
  ]);
});

const details = [{ type: "reasoning.encrypted", data: "d", format: "f" }];

test.each<[JsonObject[], JsonObject[]]>([
  [[asked], [asked]],
  [
    [{ type: "message", id: "m", status: "completed", ...asked, role: "developer" }],
    [{ ...asked, role: "developer" }],
  ],
  [
    [
      asked,
      { type: "reasoning", summary: [{ text: "Hm." }], encrypted_content: signatureOf(details) },
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "a\nb" },
      { type: "custom_tool_call_output", call_id: "c", output: "ok" },
    ],
    [
      asked,
      {
        role: "assistant",
        content: null,
        reasoning_content: "Hm.",
        reasoning_details: details,
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "patch", arguments: '{"input":"a\\nb"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c", content: "ok" },
    ],
  ],
  [
    [
      asked,
      { type: "reasoning", summary: [], encrypted_content: "OpenAI's own" },
      { role: "assistant", content: [{ type: "output_text", text: "Yes" }] },
      { role: "assistant", content: [{ type: "refusal", refusal: "No" }] },
    ],
    [
      asked,
      { role: "assistant", content: "Yes" },
      { role: "assistant", content: [{ type: "refusal", refusal: "No" }] },
    ],
  ],
  [
    [
      asked,
      { type: "function_call", call_id: "a", name: "f", arguments: "" },
      { type: "function_call", call_id: "b", name: "g", namespace: "n", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "One" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "high" },
          { type: "input_image", file_id: "f" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" },
          { type: "encrypted_content", encrypted_content: "e" },
        ],
      },
      {
        type: "custom_tool_call_output",
        call_id: "b",
        output: [
          { type: "input_text", text: "One" },
          { type: "input_text", text: "Two" },
        ],
      },
    ],
    [
      asked,
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "f", arguments: "{}" } },
          { id: "b", type: "function", function: { name: "n__g", arguments: "{}" } },
        ],
      },
      {
        role: "tool",
        tool_call_id: "a",
        content: [
          { type: "text", text: "One" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "text", text: "[input_image left out: this model does not take it]" },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" },
          },
          { type: "text", text: "[encrypted_content left out: this model does not take it]" },
        ],
      },
      { role: "tool", tool_call_id: "b", content: "One\nTwo" },
    ],
  ],
  [
    [
      asked,
      { type: "reasoning", summary: [{ text: "Hm." }] },
      asked,
      { type: "agent_reasoning", text: "Hm." },
      {
        type: "agent_message",
        author: "/root/a",
        recipient: "/root",
        content: [
          { type: "input_text", text: "Done." },
          { type: "encrypted_content", encrypted_content: "e" },
        ],
      },
    ],
    [asked, asked, { role: "user", content: "[message of /root/a]\nDone." }],
  ],
  [
    [
      { type: "additional_tools", role: "developer", tools: [tool] },
      asked,
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "q" } },
      {
        type: "tool_search_output",
        call_id: "s",
        execution: "client",
        tools: [{ type: "namespace", name: "n", tools: [{ ...tool, defer_loading: true }] }],
      },
    ],
    [
      asked,
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "s",
            type: "function",
            function: { name: "tool_search", arguments: '{"query":"q"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "s", content: "Tools found: n__f" },
    ],
  ],
])("the items %j become %j", (input, expected) => {
  expect(translated({ input }).messages).toEqual(expected);
});

test("a message without content has an empty text", () => {
  const input = ["system", "user", "assistant"].map((role) => ({ role, content: [] }));
  expect(translated({ input }).messages).toEqual(input.map(({ role }) => ({ role, content: "" })));
});

test("a tool that is deferred is one of the tools", () => {
  const tools = [{ type: "tool_search" }, { ...tool, defer_loading: true }];
  expect(translated({ tools }).tools).toEqual(translated({ tools: [tool] }).tools);
});

test.each<[string, JsonObject]>([
  ["context_management", { context_management: [{}] }],
  ["include[1]", { include: ["reasoning.encrypted_content", "file_search_call.results"] }],
  ["max_tool_calls", { max_tool_calls: 1 }],
  ["moderation", { moderation: {} }],
  ["service_tier", { service_tier: "priority" }],
  ["text.format.type", { text: { format: { type: "grammar" } } }],
  ["text.verbosity", { text: { verbosity: "high" } }],
  ["tool_choice.type", { tools: [tool], tool_choice: { type: "allowed_tools" } }],
  ["tools[0].type", { tools: [{ type: "mcp" }] }],
  ["tools[0].type", { tools: [{ type: "web_search" }] }],
  [
    "tools[0].tools[0].type",
    { tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp" }] }] },
  ],
  ["tools[0].async", { tools: [{ ...tool, async: true }] }],
  ["top_logprobs", { top_logprobs: 3 }],
  ["truncation", { truncation: "auto" }],
  ["input[0].type", { input: [{ type: "item_reference", id: "i" }] }],
  ["input[0].type", { input: [{ type: "computer_call" }] }],
  [
    "input[0].content[0].file_data",
    { input: [{ role: "user", content: [{ type: "input_file" }] }] },
  ],
  [
    "input[0].content[0].file_id",
    { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
  ],
])("%s is refused: %j", (param, member) => {
  expect(() => translated(member)).toThrow(
    expect.objectContaining({ code: "invalid_param", param }),
  );
});

test.each<[JsonObject, JsonObject]>([
  [
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
    { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
  ],
  [
    { type: "input_file", file_data: "JVBERi0x" },
    { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
  ],
])("a PDF is a file where the model takes one: %j", (part, file) => {
  const input = [{ role: "user", content: [part] }];
  const messages = [{ role: "user", content: [{ type: "file", file }] }];
  expect(translated({ input }, "openai", [], ["pdf"]).messages).toEqual(messages);
  expect(() => translated({ input })).toThrow("this model does not take pdf");
});

test("audio is passed on where the model and its provider take it", () => {
  const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const input = [{ role: "user", content: [{ type: "input_text", text: "Hear" }, audio] }];
  const content = [{ type: "text", text: "Hear" }, audio];
  const translate = (kind: keyof typeof vendors) => translated({ input }, kind, [], ["audio"]);
  expect(translate("google").messages).toEqual([{ role: "user", content }]);
  expect(() => translate("anthropic")).toThrow("this model does not take audio");
});

test.each([
  { file_id: "file-1" },
  { file_url: "https://a.test/a.pdf" },
  { file_data: "data:text/csv;base64,YSxi" },
])("a file that no chat completion can have is refused by name: %j", (file) => {
  const input = [{ role: "user", content: [{ type: "input_file", ...file }] }];
  const param = `input[0].content[0].${Object.keys(file)[0]}`;
  expect(() => translated({ input }, "openai", [], ["pdf"])).toThrow(
    expect.objectContaining({ param }),
  );
});
