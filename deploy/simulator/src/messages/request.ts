import { z } from "zod";
import { type ChatRequest, chatRequest } from "../chat/request.ts";

/**
 * The body of Anthropic's Messages API, with the members that its reference documents; others are
 * refused by name: https://docs.claude.com/en/api/messages
 */

const cacheControl = z
  .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullish();

const text = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1, "text content blocks must be non-empty"),
  cache_control: cacheControl,
});

const mediaType = z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const image = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("base64"), media_type: mediaType, data: z.base64() }),
    z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https$/ }) }),
  ]),
  cache_control: cacheControl,
});

/** https://docs.claude.com/en/docs/build-with-claude/pdf-support */
const document = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.literal("application/pdf"),
      data: z.base64().startsWith("JVBERi", "The PDF specified was not valid."),
    }),
    z.strictObject({
      type: z.literal("text"),
      media_type: z.literal("text/plain"),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https$/ }) }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean() }).nullish(),
  cache_control: cacheControl,
});

const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});

const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.union([text, image, document]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});

const signature = /^signature-/;
const thinking = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().regex(signature, "Invalid `signature` in `thinking` block"),
});
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });

const block = z.discriminatedUnion("type", [
  text,
  image,
  document,
  toolUse,
  toolResult,
  thinking,
  redacted,
]);
export type MessageBlock = z.output<typeof block>;

/** The beta `mid-conversation-system` adds the role `system`. */
const message = z.strictObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string().min(1), z.array(block).min(1)]),
});

/** The beta `context-management`: https://docs.claude.com/en/docs/build-with-claude/context-editing */
const contextManagement = z.strictObject({
  edits: z.array(z.looseObject({ type: z.string().regex(/^clear_[a-z_]+_\d{8}$/) })),
});

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const toolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), ...parallel }),
  z.strictObject({ type: z.literal("any"), ...parallel }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal("none") }),
]);

const tool = z.strictObject({
  type: z.literal("custom").optional(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().optional(),
  cache_control: cacheControl,
});

const thinkingConfig = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
  z.strictObject({ type: z.literal("disabled") }),
  z.strictObject({
    type: z.literal("adaptive"),
    display: z.enum(["summarized", "omitted"]).optional(),
  }),
]);

const outputConfig = z.strictObject({
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
  format: z.strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) }).optional(),
});

export const messagesRequest = z
  .strictObject({
    model: z.string().min(1),
    max_tokens: z.int().min(1),
    messages: z.array(message).min(1),
    system: z.union([z.string(), z.array(text)]).optional(),
    stream: z.boolean().optional(),
    stop_sequences: z.array(z.string()).optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    tools: z.array(tool).optional(),
    tool_choice: toolChoice.optional(),
    thinking: thinkingConfig.optional(),
    output_config: outputConfig.optional(),
    metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
    service_tier: z.enum(["auto", "standard_only"]).optional(),
    context_management: contextManagement.optional(),
  })
  .superRefine((request, context) => {
    const problem = problemOf(request);
    if (problem === undefined) return;
    context.addIssue({ code: "custom", path: problem.path, message: problem.message });
  });

export type MessagesRequest = z.output<typeof messagesRequest>;

export function messagesThink({ thinking }: Pick<MessagesRequest, "thinking">): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

export function blocksOf(content: string | MessageBlock[]): readonly MessageBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

interface Problem {
  path: (string | number)[];
  message: string;
}

/** Returns the first rule between members that a request breaks. */
function problemOf(request: {
  messages: { role: string; content: string | MessageBlock[] }[];
  max_tokens: number;
  thinking?: MessagesRequest["thinking"];
  temperature?: number | undefined;
}): Problem | undefined {
  const { messages, thinking, max_tokens } = request;
  if (messages[0]?.role !== "user") return at(0, "first message must use the user role");
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) {
    const message = "`max_tokens` must be greater than `thinking.budget_tokens`";
    return { path: ["max_tokens"], message };
  }
  if (messagesThink(request) && (request.temperature ?? 1) !== 1) {
    const message = "`temperature` may only be set to 1 when thinking is enabled";
    return { path: ["temperature"], message };
  }
  for (const [index, { role }] of messages.entries()) {
    const problem = role === "user" ? userProblem(messages, index) : undefined;
    if (problem !== undefined) return at(index, problem);
  }
  return thinking?.type === "enabled" ? thinkingProblem(messages) : undefined;
}

/** A turn with thinking that calls tools must be sent back with its thinking. */
function thinkingProblem(
  messages: { role: string; content: string | MessageBlock[] }[],
): Problem | undefined {
  const index = messages.length - 2;
  const turn = messages[index];
  if (turn?.role !== "assistant") return undefined;
  const blocks = blocksOf(turn.content);
  if (!blocks.some(({ type }) => type === "tool_use")) return undefined;
  if (blocks[0]?.type === "thinking" || blocks[0]?.type === "redacted_thinking") return undefined;
  return at(index, "Expected `thinking` or `redacted_thinking`, but found another block");
}

/** The results of a turn's calls must be in the next message, all of them. */
function userProblem(
  messages: { role: string; content: string | MessageBlock[] }[],
  index: number,
): string | undefined {
  const before = blocksOf(messages[index - 1]?.content ?? []);
  const called = before.flatMap((one) => (one.type === "tool_use" ? one.id : []));
  const results = blocksOf(messages[index]?.content ?? []).flatMap((one) =>
    one.type === "tool_result" ? one.tool_use_id : [],
  );
  if (results.some((id) => !called.includes(id))) {
    return "unexpected `tool_use_id` found in `tool_result` blocks";
  }
  if (called.some((id) => !results.includes(id))) {
    return "`tool_use` ids were found without `tool_result` blocks immediately after";
  }
  return undefined;
}

function at(index: number, message: string): Problem {
  return { path: ["messages", index], message };
}

/** Returns the request in the form that the simulator generates from. */
export function chatFromMessagesRequest(request: MessagesRequest): ChatRequest {
  const { model, max_tokens, tools, output_config, tool_choice: choice } = request;
  return chatRequest.parse({
    model,
    max_tokens,
    messages: request.messages.map(toChatMessage),
    tools: tools?.map(({ name, input_schema }) => ({
      function: { name, parameters: input_schema },
    })),
    tool_choice: choice && toChatChoice(choice),
    ...(output_config?.format === undefined
      ? {}
      : {
          response_format: {
            type: "json_schema",
            json_schema: { schema: output_config.format.schema },
          },
        }),
  });
}

function toChatChoice(choice: z.output<typeof toolChoice>): unknown {
  if (choice.type === "any") return "required";
  return choice.type === "tool" ? { function: { name: choice.name } } : choice.type;
}

function toChatMessage(message: MessagesRequest["messages"][number]): unknown {
  const { role } = message;
  const blocks = blocksOf(message.content);
  const results = blocks.filter((one) => one.type === "tool_result");
  if (results.length > 0) {
    const texts = results.flatMap(({ content: result = "" }) => textsOf(result));
    return { role: "tool", content: texts.join("\n") };
  }
  const content = blocks.map((one) => (one.type === "document" ? { type: "file" } : one));
  return { role, content };
}

function textsOf(content: string | readonly { type: string; text?: string }[]): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ text }) => text ?? []);
}
