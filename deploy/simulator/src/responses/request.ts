import { z } from "zod";
import { inputItem } from "./items.ts";
import { tool, toolChoice } from "./tools.ts";

/**
 * The body of OpenAI's Responses API, with the members of the `openai` package's
 * `ResponseCreateParamsBase` and the `client_metadata` of the Codex CLI; others are refused by name:
 * https://developers.openai.com/api/reference/resources/responses/methods/create
 */

const textFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    name: z
      .string()
      .max(64)
      .regex(/^[a-zA-Z0-9_-]+$/),
    schema: z.looseObject({}),
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);

const summary = z.enum(["auto", "concise", "detailed"]).nullish();

const reasoning = z.strictObject({
  effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
  summary,
  generate_summary: summary,
  context: z.enum(["auto", "current_turn", "all_turns"]).nullish(),
  mode: z.enum(["standard", "pro"]).optional(),
});

const included = z.enum([
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
]);

/** At most 16 pairs. */
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, {
    error: "Invalid '%': too many properties. Expected an object with at most 16 properties.",
  });

export const responsesRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(inputItem)]).nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  text: z
    .strictObject({
      format: textFormat.nullish(),
      verbosity: z.enum(["low", "medium", "high"]).nullish(),
    })
    .nullish(),
  reasoning: reasoning.nullish(),
  include: z.array(included).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: metadata.nullish(),
  client_metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().max(128).nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_retention: z.enum(["in_memory", "24h"]).nullish(),
  prompt_cache_options: z
    .strictObject({
      mode: z.enum(["implicit", "explicit"]).optional(),
      ttl: z.enum(["30m", "12h"]).optional(),
      prewarm: z.boolean().optional(),
      comparison_response_id: z.string().nullish(),
    })
    .optional(),
  service_tier: z
    .enum(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"])
    .nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).nullish(),
  prompt: z.looseObject({ id: z.string() }).nullish(),
});
export type ResponsesRequest = z.output<typeof responsesRequest>;

/** Whether the model reasons before it responds: the request has `reasoning` with an effort. */
export function isReasoning({ reasoning }: ResponsesRequest): boolean {
  return reasoning !== undefined && reasoning !== null && reasoning.effort !== "none";
}
