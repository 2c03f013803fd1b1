import { z } from "zod";
import { type ChatRequest, chatRequest } from "../chat/request.ts";

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string(),
    detail: z.enum(["auto", "low", "high"]).optional(),
  }),
});
const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const texts = z.union([z.string().min(1), z.array(textPart)]);

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: texts }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: texts.optional(),
    tool_calls: z.array(toolCall).optional(),
    tool_plan: z.string().optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content: texts, tool_call_id: z.string() }),
]);

/** The body of Cohere's chat: https://docs.cohere.com/reference/chat */
export const cohereChatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      }),
    )
    .optional(),
  strict_tools: z.boolean().optional(),
  tool_choice: z.enum(["REQUIRED", "NONE"]).optional(),
  response_format: z
    .strictObject({
      type: z.enum(["text", "json_object"]),
      json_schema: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  max_tokens: z.int().min(1).optional(),
  stop_sequences: z.array(z.string()).max(5).optional(),
  temperature: z.number().min(0).max(1).optional(),
  seed: z.int().min(0).optional(),
  frequency_penalty: z.number().min(0).max(1).optional(),
  presence_penalty: z.number().min(0).max(1).optional(),
  k: z.number().min(0).max(500).optional(),
  p: z.number().min(0.01).max(0.99).optional(),
  thinking: z
    .strictObject({
      type: z.enum(["enabled", "disabled"]),
      token_budget: z.int().min(1).optional(),
    })
    .optional(),
});
export type CohereChatRequest = z.output<typeof cohereChatRequest>;

/** Returns what Cohere refuses although each member is valid. */
export function chatProblem({ tools, response_format }: CohereChatRequest): string | undefined {
  if (tools === undefined || response_format?.type !== "json_object") return undefined;
  return "cannot specify both response_format and tools";
}

/** Returns the request in the form that the simulator generates from. */
export function chatFromCohere(request: CohereChatRequest): ChatRequest {
  const { model, max_tokens, messages, tools, tool_choice, response_format: format } = request;
  const schema = format?.json_schema;
  const json = schema === undefined ? "json_object" : "json_schema";
  return chatRequest.parse({
    model,
    max_tokens,
    messages,
    tools,
    tool_choice: tool_choice?.toLowerCase(),
    ...(format?.type === "json_object"
      ? { response_format: { type: json, json_schema: { schema } } }
      : {}),
  });
}
