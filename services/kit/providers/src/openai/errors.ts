import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "@tollgate/upstream/failure";
import { reportedFailure } from "@tollgate/upstream/refusal";
import { retryInfoMsOf } from "../google/retry-info.ts";
import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";
import { statusOfBaseResponse } from "./base-response.ts";

/**
 * The words of OpenAI (https://platform.openai.com/docs/guides/error-codes), of Azure, and of those that
 * speak OpenAI's API.
 */
export const openaiRefusals = createRefusalReader({
  codes: {
    context_length_exceeded: "too_large",
    rate_limit_exceeded: "rate",
    server_error: "trouble",
    server_is_overloaded: "trouble",
    unsupported_country_region_territory: "key_or_bill",
    // Alibaba, LiteLLM, Moonshot and New API.
    Arrearage: "key_or_bill",
    DataInspectionFailed: "bad_request",
    InvalidApiKey: "key_or_bill",
    InvalidParameter: "bad_request",
    Throttling: "rate",
    "Throttling.AllocationQuota": "rate",
    "Throttling.RateQuota": "rate",
    budget_exceeded: "key_or_bill",
    exceeded_current_quota_error: "key_or_bill",
    insufficient_user_quota: "key_or_bill",
    // GitHub Models.
    tokens_limit_reached: "too_large",
  },
  phrases: [
    // OpenAI, and Groq with 413: more tokens than the limit of a minute.
    [/^Request too large for/, "too_large"],
    // OpenRouter.
    [/^This request requires more credits, or fewer max_tokens/, "too_large"],
    [/^Prompt tokens limit exceeded/, "too_large"],
    [/^Key limit exceeded/, "key_or_bill"],
    // Azure.
    [/^Out of call volume quota/, "key_or_bill"],
    [/^Access denied due to (invalid subscription key|Virtual Network)/, "key_or_bill"],
    // DeepSeek by way of a proxy, and Fireworks.
    [/^Insufficient Balance$/, "key_or_bill"],
    [/^Account \S+ is suspended/, "key_or_bill"],
    // Text Generation Inference, which Together and Hugging Face run.
    [/^Input validation error: `inputs` tokens/, "too_large"],
  ],
  reportedStatus: statusOfBaseResponse,
  readMore: (refusal, message) => ({
    // Groq's status for a full flex tier.
    meaning: refusal.status === 498 ? "rate" : undefined,
    retryAfterMs:
      resetMsOf(refusal) ?? retryInfoMsOf(refusal.body) ?? secondsInMessage(refusal, message),
  }),
});

/** Returns the failure that an event of a stream of the Responses API reports. */
export function responsesEventFailure(event: JsonObject): SlotFailure {
  const response = isJsonObject(event.response) ? event.response : {};
  const error = isJsonObject(response.error) ? response.error : event;
  return reportedFailure({ error }, statusOfCode.get(error.code), openaiRefusals);
}

/** https://platform.openai.com/docs/api-reference/responses/object#responses/object-error */
const statusOfCode: ReadonlyMap<unknown, number> = new Map([
  ["server_error", 500],
  ["rate_limit_exceeded", 429],
  ["server_is_overloaded", 503],
  ["insufficient_quota", 429],
  ["context_length_exceeded", 400],
  ["invalid_prompt", 400],
]);

/** Returns how long OpenRouter asks to wait: it has the time of the reset in the headers within an error. */
function resetMsOf({ body }: ProviderRefusal): number | undefined {
  const metadata = memberOf(memberOf(body, "error"), "metadata");
  const at = Number(memberOf(memberOf(metadata, "headers"), "X-RateLimit-Reset"));
  return Number.isFinite(at) ? Math.max(0, at - Date.now()) : undefined;
}

/** Returns the same of an event in a stream, which has no headers: OpenAI says it in the message. */
function secondsInMessage({ status }: ProviderRefusal, message: string): number | undefined {
  if (status !== 429) return undefined;
  const [, amount, unit] =
    /^Rate limit reached .* try again in ([\d.]+)(ms|s)\b/.exec(message) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (unit === "ms" ? 1 : 1_000);
}
