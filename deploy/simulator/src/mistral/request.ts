import { z } from "zod";
import { type ChatRequest, chatRequest } from "../chat/request.ts";

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.union([
    z.string(),
    z.strictObject({ url: z.string(), detail: z.enum(["low", "auto", "high"]).nullish() }),
  ]),
});
const documentPart = z.strictObject({
  type: z.literal("document_url"),
  document_url: z.string(),
  document_name: z.string().nullish(),
});
const thinkingPart = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.array(textPart),
  closed: z.boolean().optional(),
});

const toolCall = z.strictObject({
  id: z.string().optional(),
  type: z.literal("function").optional(),
  function: z.strictObject({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
  }),
  index: z.int().optional(),
});

const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("system"),
    content: z.union([z.string(), z.array(z.union([textPart, thinkingPart]))]),
  }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.union([textPart, imagePart, documentPart]))]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([textPart, thinkingPart]))]).nullish(),
    tool_calls: z.array(toolCall).nullish(),
    prefix: z.boolean().optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    content: z.union([z.string(), z.array(textPart)]).nullable(),
    tool_call_id: z.string().nullish(),
    name: z.string().nullish(),
  }),
]);
type Message = z.output<typeof message>;

const tool = z.strictObject({
  type: z.literal("function").optional(),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().optional(),
    strict: z.boolean().optional(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});

const responseFormat = z.strictObject({
  type: z.enum(["text", "json_object", "json_schema"]),
  json_schema: z
    .strictObject({
      name: z.string(),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().optional(),
    })
    .nullish(),
});

/** The body of Mistral's chat completions: https://docs.mistral.ai/api/endpoint/chat */
export const mistralChatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  temperature: z.number().min(0).max(1.5).nullish(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.int().min(0).nullish(),
  stream: z.boolean().optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  random_seed: z.int().min(0).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  response_format: responseFormat.optional(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "any", "required"]),
      z.strictObject({
        type: z.literal("function").optional(),
        function: z.strictObject({ name: z.string() }),
      }),
    ])
    .optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  n: z.int().min(1).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_mode: z.literal("reasoning").nullish(),
  reasoning_effort: z.enum(["none", "low", "medium", "high", "max"]).nullish(),
  safe_prompt: z.boolean().optional(),
  prompt_cache_key: z.string().nullish(),
});
export type MistralChatRequest = z.output<typeof mistralChatRequest>;

/** Returns what is wrong with the order of messages or the ids of calls. */
export function mistralProblem({ messages }: MistralChatRequest): string | undefined {
  for (const id of messages.flatMap(callIds)) {
    if (id === undefined || !/^[a-zA-Z0-9]{9}$/.test(id)) {
      return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }
  }
  for (const [index, { role }] of messages.entries()) {
    const before = messages[index - 1]?.role;
    const isLate = role === "system" && (before === "assistant" || before === "tool");
    const isUnanswered = role === "user" && before === "tool";
    if (isLate || isUnanswered) return `Unexpected role '${role}' after role '${before}'`;
  }
  return lastProblem(messages.at(-1));
}

function callIds(one: Message): (string | undefined)[] {
  if (one.role === "tool") return [one.tool_call_id ?? undefined];
  return one.role === "assistant" ? (one.tool_calls ?? []).map(({ id }) => id) : [];
}

function lastProblem(last: Message | undefined): string | undefined {
  if (last?.role === "user" || last?.role === "tool") return undefined;
  if (last?.role === "assistant" && last.prefix === true) return undefined;
  return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last?.role}`;
}

/** Returns the request in the form that the simulator generates from. */
export function chatFromMistral({
  messages,
  tool_choice,
  ...rest
}: MistralChatRequest): ChatRequest {
  const { model, max_tokens, n, tools, response_format } = rest;
  return chatRequest.parse({
    model,
    max_tokens: max_tokens === 0 ? undefined : max_tokens,
    n,
    tools,
    response_format,
    tool_choice: tool_choice === "any" ? "required" : tool_choice,
    messages: messages.map((one) => ({ role: one.role, content: visible(one.content) })),
  });
}

function visible(content: Message["content"]): unknown {
  if (!Array.isArray(content)) return content;
  const parts = content.filter(({ type }) => type !== "thinking");
  return parts.map((part) => (part.type === "document_url" ? { type: "file" } : part));
}
