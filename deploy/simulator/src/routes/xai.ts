import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import type { Usage } from "../chat/generation.ts";
import type { ProviderError } from "../error-response.ts";
import { jsonRoute } from "../json-route.ts";
import { bearerHeader, refuseWithoutKey } from "../require-key.ts";
import { type ChatWire, chatRoute } from "./chat-completions.ts";

/** https://docs.x.ai/docs/api-reference#chat-completions */
const chatMembers: ReadonlySet<string> = new Set([
  "deferred",
  "frequency_penalty",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "messages",
  "model",
  "n",
  "parallel_tool_calls",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "search_parameters",
  "seed",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
  "web_search_options",
]);

/** The arguments that models which reason refuse, by xAI's own names. */
const refusedByReasoning: Readonly<Record<string, string>> = {
  frequency_penalty: "frequencyPenalty",
  presence_penalty: "presencePenalty",
  stop: "stop",
};

const imageRequest = z.strictObject({
  model: z.string().min(1),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).default(1),
  response_format: z.enum(["url", "b64_json"]).optional(),
  user: z.string().optional(),
});

/** Tokens of reasoning for each token of the completion. */
const reasoningShare = 2;

const wire: ChatWire = {
  problemOf(request) {
    const members = Object.entries(request).filter(([, value]) => value !== null);
    const unknown = members.find(([name]) => !chatMembers.has(name));
    if (unknown !== undefined) return refusal(`Argument not supported: ${unknown[0]}`);
    if (!reasons(request)) return undefined;
    const name = members.map(([member]) => refusedByReasoning[member]).find(Boolean);
    return name ? refusal(`Argument not supported on this model: ${name}`) : undefined;
  },
  usageOf,
};

/** The routes of xAI's API: OpenAI's, with a usage of its own and less members. */
export const xaiRoutes: readonly SimulatorRoute[] = refuseWithoutKey(
  [
    chatRoute("/xai/v1/chat/completions", wire),
    jsonRoute("/xai/v1/images/generations", imageRequest, ({ n }, commands, seq) => ({
      data: Array.from({ length: commands.images ?? n }, (_, index) => ({
        url: `https://imgen.x.ai.invalid/${seq}/${index}.jpeg`,
        mime_type: "image/jpeg",
        revised_prompt: "",
      })),
      usage: { cost_in_usd_ticks: 700_000_000 },
    })),
  ],
  {
    ...bearerHeader,
    refusal: refusal("No API key provided. Specify your API key as a Bearer token."),
  },
);

function refusal(message: string): ProviderError {
  return { status: 400, message };
}

function reasons(request: object): boolean {
  return "model" in request && !String(request.model).includes("non-reasoning");
}

/** Returns a usage whose completion excludes the tokens of reasoning, which the total includes. */
function usageOf({ promptTokens, completionTokens }: Usage, request: object) {
  const reasoning = reasons(request) ? reasoningShare * completionTokens : 0;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens + reasoning,
    prompt_tokens_details: {
      text_tokens: promptTokens,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
  };
}
