import type { ExchangeRequest } from "./exchange.ts";

const user = { role: "user", content: "Hi" };

/** A user says "Hi". */
export const hello: ExchangeRequest = {
  chat: { messages: [user] },
  messages: { max_tokens: 1_000, messages: [user] },
  responses: { input: "Hi" },
};

const parameters = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
};
const tool = { name: "read_file", description: "Reads a file." };

/** The same with a tool, `read_file`, of one parameter, `path`. */
export const withTool: ExchangeRequest = {
  chat: { ...hello.chat, tools: [{ type: "function", function: { ...tool, parameters } }] },
  messages: { ...hello.messages, tools: [{ ...tool, input_schema: parameters }] },
  responses: { ...hello.responses, tools: [{ type: "function", ...tool, parameters }] },
};

/** The same without a tool, and the model is to think. */
export const thinking: ExchangeRequest = {
  chat: { ...hello.chat, reasoning_effort: "low", max_completion_tokens: 4_000 },
  messages: {
    ...hello.messages,
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  },
  responses: { ...hello.responses, reasoning: { effort: "low" }, max_output_tokens: 4_000 },
};
