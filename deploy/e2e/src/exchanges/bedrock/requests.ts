import { converseResponse } from "../bedrock-frames.ts";
import type { Exchange } from "../exchange.ts";

const usage = { input: 10, output: 5 };
const reply = { body: converseResponse([{ text: "Hello." }]) };
const expected = { text: "Hello." };
const user = { role: "user", content: "Hi" };
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tool = { name: "read_file", input_schema: { type: "object", properties: {} } };
const other = { name: "other", input_schema: { type: "object", properties: {} } };

/** What Converse is sent: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockRequests: readonly Exchange[] = [
  {
    name: "a marked tool has a cache point behind it",
    request: {
      messages: {
        max_tokens: 100,
        messages: [user],
        tools: [{ ...tool, cache_control: { type: "ephemeral" } }, other],
      },
    },
    sent: {
      toolConfig: {
        tools: [
          { toolSpec: { name: "read_file" } },
          { cachePoint: { type: "default" } },
          { toolSpec: { name: "other" } },
        ],
      },
    },
    reply,
    expected,
    usage,
    cost: 600,
  },
  {
    name: "a named tool is sent with the others, also where calls are not parallel",
    request: {
      messages: {
        max_tokens: 100,
        messages: [user],
        tools: [tool, other],
        tool_choice: { type: "tool", name: "other", disable_parallel_tool_use: true },
      },
    },
    sent: {
      toolConfig: { tools: [{ toolSpec: { name: "read_file" } }, { toolSpec: { name: "other" } }] },
      additionalModelRequestFields: {
        tool_choice: { type: "tool", name: "other", disable_parallel_tool_use: true },
      },
    },
    reply,
    expected,
    usage,
    cost: 600,
  },
  {
    name: "a schema is sent to a model with structured output",
    request: {
      chat: {
        messages: [user],
        response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
      },
    },
    sent: {
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "answer", schema: JSON.stringify(schema) } },
        },
      },
    },
    reply: { body: converseResponse([{ text: '{"city":"Oslo"}' }]) },
    expected: { text: '{"city":"Oslo"}' },
    usage,
    cost: 600,
  },
  {
    name: "a schema is a tool for another model",
    model: "us.amazon.nova-pro-v1:0",
    request: {
      chat: {
        messages: [user],
        response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
      },
    },
    sent: { toolConfig: { tools: [{ toolSpec: { name: "json" } }], toolChoice: { any: {} } } },
    reply: {
      body: converseResponse(
        [{ toolUse: { toolUseId: "a", name: "json", input: { city: "Oslo" } } }],
        "tool_use",
      ),
    },
    expected: { text: '{"city":"Oslo"}' },
    usage,
    cost: 600,
  },
  {
    name: "two messages of a user around an empty one are merged",
    request: {
      chat: {
        messages: [user, { role: "assistant", content: "" }, { role: "user", content: "go" }],
      },
    },
    sent: { messages: [{ role: "user", content: [{ text: "Hi" }, { text: "go" }] }] },
    reply,
    expected,
    usage,
    cost: 600,
  },
  {
    name: "earlier calls bring their tools into a request without any",
    request: {
      messages: {
        max_tokens: 100,
        messages: [
          user,
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "text" }] },
        ],
      },
    },
    sent: { toolConfig: { tools: [{ toolSpec: { name: "f" } }] } },
    reply,
    expected,
    usage,
    cost: 600,
  },
];
