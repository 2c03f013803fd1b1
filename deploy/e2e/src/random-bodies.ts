import { specialtyRoutes } from "./specialty-routes.ts";

const parameters = { type: "object", properties: {} };
const tools = [{ type: "function", function: { name: "look", parameters } }];
const toolCalls = [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }];
const question = { role: "user", content: "Hello there" };
const parts = [{ type: "text", text: "What is it?" }];
const address = "https://example.invalid/a.png";
const pictures = [...parts, { type: "image_url", image_url: { url: address, detail: "low" } }];
const schema = { type: "object", properties: { a: { type: "string" } } };
const format = { type: "json_schema", json_schema: { name: "one", schema } };
/** The id of a conversation, which the caller replaces. */
const session_id = "018f0000-0000-7000-8000-000000000000";

const completions = [
  {},
  { stream: true, stream_options: { include_usage: true }, stop: ["a", "b"], seed: 5, n: 2 },
  { messages: [{ role: "system", content: parts }, question], temperature: 1, top_p: 0.5 },
  { model: "test-vision", messages: [{ role: "user", content: pictures }], max_tokens: 9 },
  { tools, tool_choice: "auto", parallel_tool_calls: true, logit_bias: { "50256": -100 } },
  {
    messages: [
      question,
      { role: "assistant", content: null, tool_calls: toolCalls },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ],
    tools,
    stream: true,
  },
  { response_format: format, reasoning_effort: "low", metadata: { a: "b" }, user: "ada" },
  { session_id, max_completion_tokens: 5 },
].map((more) => ({ model: "test-small", messages: [question], ...more }));

/** The same request to providers of each kind, which translate it. */
const translated = ["anthropic", "google", "bedrock", "mistral", "cohere", "xai"].flatMap((kind) =>
  [
    { messages: [{ role: "user", content: pictures }], temperature: 0.5, stop: ["a"] },
    {
      messages: [
        { role: "system", content: "Be brief." },
        question,
        { role: "assistant", content: "I look.", tool_calls: toolCalls },
        { role: "tool", tool_call_id: "call_1", content: "42" },
      ],
      tools,
      tool_choice: "auto",
      stream: true,
    },
    { reasoning_effort: "low", max_tokens: 4_000, stream: true },
    { response_format: format },
  ].map((more) => ({ model: `kind-${kind}`, messages: [question], ...more })),
);

const messages = ["test-claude", "test-small", "test-gemini-3"].flatMap((model) =>
  [
    { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
    { stream: true, stop_sequences: ["a"], temperature: 1, metadata: { user_id: "ada" } },
    { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 4_000, stream: true },
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image", source: { type: "url", url: address } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "A" } },
          ],
        },
      ],
    },
    {
      tools: [{ name: "look", description: "Looks.", input_schema: parameters }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      messages: [
        question,
        { role: "assistant", content: [{ type: "tool_use", id: "t_1", name: "look", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t_1", content: parts, is_error: false }],
        },
      ],
    },
    { output_config: { effort: "low", format: { type: "json_schema", schema } } },
  ].map((more) => ({ model, max_tokens: 50, messages: [question], ...more })),
);

const responses = ["test-gpt", "test-small", "test-claude"].flatMap((model) =>
  [
    { input: "Hello there", instructions: "Be brief.", store: false },
    { input: [question], stream: true, max_output_tokens: 50, metadata: { a: "b" } },
    {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "See" },
            { type: "input_image", image_url: address, detail: "auto" },
          ],
        },
        { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "42" },
      ],
      tools: [{ type: "function", name: "look", parameters, strict: false }],
      tool_choice: "auto",
      parallel_tool_calls: true,
    },
    {
      input: [{ type: "custom_tool_call", call_id: "c", name: "patch", input: "text" }, question],
      tools: [{ type: "custom", name: "patch", format: { type: "text" } }],
      stream: true,
    },
    { input: "Hello", reasoning: { effort: "low", summary: "auto" }, max_output_tokens: 4_000 },
    { input: "Hello", text: { format: { type: "json_schema", name: "one", schema } } },
  ].map((more) => ({ model, ...more })),
);

function of(path: string, bodies: readonly object[]) {
  return bodies.map((body) => [path, body] as const);
}

/** Valid bodies of the JSON routes. */
export const jsonBodies: readonly (readonly [path: string, body: object])[] = [
  ...specialtyRoutes.map(({ path, body }) => [path, body] as const),
  ...of("/v1/chat/completions", completions),
  ...of("/v1/chat/completions", translated),
  ...of("/v1/messages", messages),
  ...of("/v1/messages/count_tokens", messages.slice(0, 4)),
  ...of("/v1/responses", responses),
  ["/v1/audio/speech", { model: "test-speech", input: "Hello", voice: "alto", speed: 1 }],
  ["/v1/hf/billing", { requestIds: ["req_1", "req_2"] }],
];
