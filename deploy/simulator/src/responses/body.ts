import type { ResponsesRequest } from "./request.ts";
import type { GeneratedResponse } from "./response.ts";

/** The members of a request that a response repeats, with the API's defaults. */
const repeated = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: "",
  parallel_tool_calls: true,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
} as const satisfies Partial<Record<keyof ResponsesRequest, unknown>>;

/** Returns the members of a response that do not change while it is generated. */
export function headOf(request: ResponsesRequest, seq: number, createdAt: number): object {
  const { text, reasoning } = request;
  const members = Object.entries(repeated).map(([name, byDefault]) => [
    name,
    request[name as keyof typeof repeated] ?? byDefault,
  ]);
  return {
    id: `resp_${seq}`,
    object: "response",
    created_at: createdAt,
    background: false,
    previous_response_id: null,
    ...Object.fromEntries(members),
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    text: { format: text?.format ?? { type: "text" }, verbosity: text?.verbosity ?? "medium" },
  };
}

/** Returns the members of a response that has begun. */
export function begunBody(head: object): object {
  return {
    ...head,
    status: "in_progress",
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    service_tier: "auto",
    usage: null,
  };
}

/** Returns the whole response. */
export function finalBody(head: object, generated: GeneratedResponse): object {
  const { status, output, usage, toolUsage, error, incompleteDetails } = generated;
  const isComplete = status === "completed";
  return {
    ...head,
    status,
    completed_at: isComplete && "created_at" in head ? head.created_at : null,
    error,
    incomplete_details: incompleteDetails,
    output: status === "failed" ? [] : output,
    service_tier: "default",
    ...(toolUsage === undefined ? {} : { tool_usage: toolUsage }),
    usage,
  };
}
