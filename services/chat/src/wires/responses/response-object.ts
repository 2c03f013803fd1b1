import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ResponseContext } from "../response-context.ts";

/** How a response ended, by the finish reason of a chat completion. */
export interface ResponseEnd {
  status: "completed" | "incomplete";
  incomplete_details: { reason: "max_output_tokens" | "content_filter" } | null;
}

export function endOf(finishReason: unknown): ResponseEnd {
  if (finishReason === "length") return incomplete("max_output_tokens");
  if (finishReason === "content_filter") return incomplete("content_filter");
  return { status: "completed", incomplete_details: null };
}

export function incomplete(reason: "max_output_tokens" | "content_filter"): ResponseEnd {
  return { status: "incomplete", incomplete_details: { reason } };
}

/** Returns a response with the members of its request, and `more`. */
export function responseObject(
  { id, alias, created, client: { json: request } }: ResponseContext,
  more: JsonObject,
): JsonObject {
  const { reasoning, text } = request;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: alias,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...(isJsonObject(reasoning) ? reasoning : {}) },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...(isJsonObject(text) ? text : {}) },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: "disabled",
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
    ...more,
  };
}
