import { z } from "zod";

const part = z.object({ type: z.string(), text: z.string().optional() });

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_calls: z.array(z.object({ id: z.string().optional() })).nullish(),
  tool_call_id: z.string().nullish(),
});

const named = z.object({ name: z.string() });

const tool = z.object({
  function: z.object({ name: z.string(), parameters: z.unknown().optional() }).optional(),
  custom: named.optional(),
  /** A tool that is called by a script alone. */
  scripted: named.extend({ isCustom: z.boolean() }).optional(),
});

const responseFormat = z.object({
  type: z.string(),
  json_schema: z.object({ schema: z.unknown().optional() }).optional(),
});

const tokenLimit = z.int().min(1).nullish();

/** The fields of a chat completion request that the simulator uses; others are ignored. */
export const chatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z
    .object({ include_usage: z.boolean().nullish(), continuous_usage_stats: z.boolean().nullish() })
    .nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([z.string(), z.object({ function: named.optional(), custom: named.optional() })])
    .nullish(),
  response_format: responseFormat.nullish().catch(undefined),
  user: z.string().nullish(),
  metadata: z.object({ simulate: z.string().optional() }).nullish(),
});

export type ChatRequest = z.output<typeof chatRequest>;
export type ChatMessage = ChatRequest["messages"][number];

const summary = z
  .object({
    model: z.string().catch(""),
    stream: z.boolean().nullish().catch(null),
    user: z.string().nullish().catch(null),
  })
  .catch({ model: "", stream: null, user: null });

/** Reads what the call log can record of a body that is not a valid request. */
export function summarize(body: unknown): z.output<typeof summary> {
  return summary.parse(body);
}

/** Returns the text of a message: its text parts, joined by line feeds. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap(({ text }) => text ?? []).join("\n");
}

/** Counts the parts of messages whose type names what they are. */
export function countParts(
  messages: readonly ChatMessage[],
  what: "image" | "file" | "audio",
): number {
  let parts = 0;
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    parts += content.filter(({ type }) => type.includes(what)).length;
  }
  return parts;
}
