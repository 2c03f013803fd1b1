import type { FailureMeaning } from "@tollgate/catalog/provider-refusal";
import { describe, expect, test } from "vitest";
import { type KindName, readRefusalOf } from "../test/read-refusal.ts";
import { vendors } from "./index.ts";

type Headers = Record<string, string>;

const openai = (type: string | null, code: string | null, message = "No.") => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message = "No.", details?: object) => ({
  type: "error",
  error: { type, message, ...(details && { details }) },
});
const google = (code: number, status: string, message = "No.", ...details: object[]) => ({
  error: { code, message, status, details },
});
const reason = (name: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: name,
  domain: "googleapis.com",
});
const elevenlabs = (status: string, message = "No.") => ({ detail: { status, message } });
const aws = (type: string) => ({ "x-amzn-errortype": `${type}:http://internal.amazon.com/` });

/** A cell of the table of meanings: the kind, the refusal in the vendor's own words, its headers. */
type Cell = readonly [KindName, number, unknown, Headers?];

const cells: { readonly [Meaning in Exclude<FailureMeaning, "unreachable">]: readonly Cell[] } = {
  key_or_bill: [
    ["openai", 401, openai("invalid_request_error", "invalid_api_key")],
    ["openai", 429, openai("insufficient_quota", "insufficient_quota", "You exceeded your quota.")],
    ["openai", 429, openai("insufficient_quota", "credit_balance_exhausted")],
    ["openai", 400, openai("invalid_request_error", "billing_hard_limit_reached")],
    ["openai", 403, openai("request_forbidden", "unsupported_country_region_territory")],
    // OpenRouter, DeepSeek, Groq, Together, Fireworks, Moonshot, Alibaba, New API, vLLM.
    ["openai", 402, { error: { code: 402, message: "Insufficient credits. Add more." } }],
    ["openai", 401, { error: { code: 401, message: "User not found." } }],
    ["openai", 403, { error: { code: 403, message: "Key limit exceeded (total limit)." } }],
    ["openai", 402, openai("unknown_error", "invalid_request_error", "Insufficient Balance")],
    ["openai", 400, openai("unknown_error", "invalid_request_error", "Insufficient Balance")],
    ["openai", 401, openai("invalid_request_error", "invalid_api_key", "Invalid API Key")],
    ["openai", 402, { error: { message: "Credit limit exceeded", type: "credit_limit" } }],
    ["openai", 412, { error: { message: "Account acme is suspended, possibly due to spending." } }],
    ["openai", 429, openai("exceeded_current_quota_error", null)],
    ["openai", 400, openai("Arrearage", "Arrearage")],
    ["openai", 403, openai("new_api_error", "insufficient_user_quota")],
    ["openai", 401, { error: "Unauthorized" }],
    [
      "azure",
      401,
      { error: { code: "401", message: "Access denied due to invalid subscription key." } },
    ],
    ["azure", 401, { statusCode: 401, message: "Unauthorized. Access token is missing." }],
    [
      "azure",
      401,
      { error: { code: "PermissionDenied", message: "The principal lacks an action." } },
    ],
    ["azure", 403, { error: { code: "403", message: "Out of call volume quota for Azure." } }],
    [
      "azure",
      403,
      {
        error: {
          code: "AccessDenied",
          message: "Access denied due to Virtual Network/Firewall rules.",
        },
      },
    ],
    ["azure", 429, openai("insufficient_quota", "insufficient_quota")],
    ["anthropic", 401, anthropic("authentication_error", "invalid x-api-key")],
    ["anthropic", 402, anthropic("billing_error")],
    [
      "anthropic",
      400,
      anthropic(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
      ),
    ],
    ["anthropic", 400, anthropic("invalid_request_error", "This organization has been disabled.")],
    [
      "anthropic",
      400,
      anthropic(
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      ),
    ],
    [
      "anthropic",
      429,
      anthropic("rate_limit_error", "No.", { error_code: "enforced_spend_limit_reached" }),
    ],
    [
      "google",
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid.", reason("API_KEY_INVALID")),
    ],
    ["google", 400, google(400, "FAILED_PRECONDITION", "User location is not supported.")],
    ["google", 401, google(401, "UNAUTHENTICATED")],
    ["google", 403, google(403, "PERMISSION_DENIED", "No.", reason("SERVICE_DISABLED"))],
    ["google", 403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked.")],
    ["google", 429, google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")],
    ["vertex", 401, google(401, "UNAUTHENTICATED", "No.", reason("ACCESS_TOKEN_EXPIRED"))],
    ["vertex", 403, google(403, "PERMISSION_DENIED", "No.", reason("BILLING_DISABLED"))],
    ["mistral", 401, { detail: "Unauthorized" }],
    ["mistral", 403, { object: "error", message: "Inactive subscription or usage limit reached" }],
    ["mistral", 402, { object: "error", message: "Payment required" }],
    ["cohere", 401, { message: "invalid api token" }],
    ["cohere", 402, { message: "Please add or update your payment method." }],
    [
      "cohere",
      429,
      { message: "You are using a Trial key, which is limited to 1000 API calls / month." },
    ],
    ["voyage", 401, { detail: "Provided API key is invalid." }],
    ["jina", 401, { detail: "Invalid API key" }],
    [
      "jina",
      402,
      {
        code: 402,
        name: "InsufficientBalanceError",
        message: "Account balance not enough to run this query, please recharge.",
      },
    ],
    ["jina", 403, { detail: "Insufficient account balance, please recharge." }],
    ["elevenlabs", 401, elevenlabs("invalid_api_key")],
    ["elevenlabs", 401, elevenlabs("missing_permissions")],
    ["elevenlabs", 401, elevenlabs("detected_unusual_activity")],
    [
      "elevenlabs",
      401,
      elevenlabs(
        "quota_exceeded",
        "This request exceeds your quota of 10000. You have 0 credits remaining, while 5 credits are required.",
      ),
    ],
    ["deepgram", 401, { err_code: "INVALID_AUTH", err_msg: "Invalid credentials." }],
    [
      "deepgram",
      402,
      { err_code: "ASR_PAYMENT_REQUIRED", err_msg: "Project does not have enough credits." },
    ],
    [
      "xai",
      400,
      {
        code: "Client specified an invalid argument",
        error: "Incorrect API key provided: xa***yz.",
      },
    ],
    [
      "xai",
      429,
      {
        code: "Some resource has been exhausted",
        error:
          "Your team 16f2151a has either used all available credits or reached its monthly spending limit.",
      },
    ],
    [
      "xai",
      403,
      { code: "permission-denied", error: "Your newly created team doesn't have any credits yet." },
    ],
    [
      "xai",
      403,
      { code: "permission-denied", error: "You have run out of credits or need a subscription." },
    ],
    [
      "bedrock",
      403,
      { message: "The security token included in the request is expired" },
      aws("ExpiredTokenException"),
    ],
    ["bedrock", 403, { message: "The security token included in the request is invalid." }],
    [
      "bedrock",
      403,
      { __type: "com.amazon.coral.service#InvalidSignatureException", message: "No." },
    ],
    ["bedrock", 403, { Message: "Bearer Token has expired" }],
    [
      "bedrock",
      403,
      {
        message:
          "Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument must be provided.",
      },
      aws("AccessDeniedException"),
    ],
  ],
  rate: [
    [
      "openai",
      429,
      openai(
        "requests",
        "rate_limit_exceeded",
        "Rate limit reached for gpt-5 on requests per min.",
      ),
    ],
    [
      "openai",
      429,
      openai(
        "tokens",
        "rate_limit_exceeded",
        "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
      ),
    ],
    ["openai", 429, { error: { code: 429, message: "Rate limit exceeded: free-models-per-min." } }],
    [
      "openai",
      498,
      openai("capacity_exceeded", "capacity_exceeded", "Flex tier capacity exceeded."),
    ],
    ["openai", 429, "Too Many Requests"],
    [
      "azure",
      429,
      {
        error: {
          code: "429",
          message: "Requests have exceeded the call rate limit. Please retry after 6 seconds.",
        },
      },
    ],
    [
      "anthropic",
      429,
      anthropic(
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      ),
      {
        "anthropic-ratelimit-input-tokens-limit": "30000",
        "anthropic-ratelimit-input-tokens-remaining": "0",
      },
    ],
    ["google", 429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.")],
    ["vertex", 429, google(429, "RESOURCE_EXHAUSTED", "Resource exhausted.")],
    ["vertex", 429, anthropic("rate_limit_error")],
    [
      "mistral",
      429,
      {
        object: "error",
        message: "Rate limit exceeded",
        type: "rate_limited",
        param: null,
        code: "1300",
      },
    ],
    [
      "mistral",
      429,
      {
        object: "error",
        message: "Service tier capacity exceeded for this model.",
        type: "service_tier_capacity_exceeded",
        code: "3505",
      },
    ],
    [
      "cohere",
      429,
      { message: "You are using a Trial key, which is limited to 40 API calls / minute." },
    ],
    [
      "voyage",
      429,
      {
        detail: "You have not yet added your payment method and have reduced rate limits of 3 RPM.",
      },
    ],
    ["jina", 429, { detail: "Rate limit exceeded" }],
    ["elevenlabs", 429, elevenlabs("too_many_concurrent_requests")],
    ["elevenlabs", 429, elevenlabs("system_busy")],
    [
      "deepgram",
      429,
      { err_code: "TOO_MANY_REQUESTS", err_msg: "Too many requests. Please try again later." },
    ],
    [
      "xai",
      429,
      { code: "Some resource has been exhausted", error: "Too many requests for team." },
    ],
    [
      "bedrock",
      429,
      { message: "Too many tokens, please wait before trying again." },
      aws("ThrottlingException"),
    ],
  ],
  too_large: [
    [
      "bedrock",
      400,
      { message: "Your request exceeds the service quota." },
      aws("ServiceQuotaExceededException"),
    ],
    [
      "openai",
      429,
      openai(
        "tokens",
        "rate_limit_exceeded",
        "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 32000.",
      ),
    ],
    [
      "openai",
      413,
      openai(
        "tokens",
        "rate_limit_exceeded",
        "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 7000.",
      ),
    ],
    [
      "openai",
      402,
      {
        error: {
          code: 402,
          message:
            "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 4000.",
        },
      },
    ],
    [
      "openai",
      402,
      { error: { code: 402, message: "Prompt tokens limit exceeded: 9000 > 2000." } },
    ],
    [
      "openai",
      400,
      openai(
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens.",
      ),
    ],
    [
      "openai",
      400,
      {
        object: "error",
        message: "This model's maximum context length is 4096 tokens.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    ],
    [
      "azure",
      400,
      openai(
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens.",
      ),
    ],
    ["azure", 429, openai("tokens", "rate_limit_exceeded", "Request too large for gpt-4o.")],
    [
      "anthropic",
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ],
    ["anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size")],
    [
      "anthropic",
      429,
      anthropic("rate_limit_error", "Extra usage is required for long context requests."),
    ],
    [
      "anthropic",
      429,
      anthropic(
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      ),
      {
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-input-tokens-limit": "30000",
        "anthropic-ratelimit-input-tokens-remaining": "29000",
      },
    ],
    [
      "vertex",
      400,
      anthropic("invalid_request_error", "prompt is too long: 213462 tokens > 200000"),
    ],
    [
      "google",
      400,
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
      ),
    ],
    [
      "mistral",
      400,
      {
        object: "error",
        message:
          "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      },
    ],
    [
      "cohere",
      400,
      { message: "too many tokens: total number of tokens in the prompt exceeds the limit" },
    ],
    [
      "voyage",
      400,
      {
        detail:
          "Request to model 'voyage-3' failed. The max allowed tokens per submitted batch is 120000. Your batch has 130000 tokens.",
      },
    ],
    ["jina", 422, { detail: "The input is too long for the model." }],
    ["elevenlabs", 400, elevenlabs("max_character_limit_exceeded")],
    [
      "elevenlabs",
      401,
      elevenlabs(
        "quota_exceeded",
        "This request exceeds your quota of 10000. You have 27 credits remaining, while 120 credits are required.",
      ),
    ],
    [
      "xai",
      400,
      {
        code: "Client specified an invalid argument",
        error:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    [
      "bedrock",
      400,
      { message: "Input is too long for requested model." },
      aws("ValidationException"),
    ],
  ],
  trouble: [
    ["openai", 500, openai("server_error", null)],
    ["openai", 503, openai("service_unavailable_error", "server_is_overloaded")],
    ["openai", 408, { error: { code: 408, message: "Your request timed out" } }],
    ["openai", 502, "<html>Bad Gateway</html>"],
    ["azure", 424, { error: { code: "424", message: "No." } }],
    ["anthropic", 529, anthropic("overloaded_error", "Overloaded")],
    ["anthropic", 504, anthropic("timeout_error")],
    ["google", 503, google(503, "UNAVAILABLE", "The model is overloaded.")],
    ["vertex", 529, anthropic("overloaded_error")],
    [
      "mistral",
      500,
      {
        object: "error",
        message: "Service unavailable.",
        type: "internal_server_error",
        code: "3700",
      },
    ],
    ["cohere", 500, { message: "internal server error" }],
    ["voyage", 502, "Bad Gateway"],
    ["jina", 503, { detail: "Service unavailable" }],
    ["elevenlabs", 500, { detail: "Internal server error" }],
    ["deepgram", 503, { err_code: "UNKNOWN", err_msg: "No." }],
    [
      "xai",
      503,
      { code: "The service is currently unavailable", error: "The model is at capacity." },
    ],
    ["bedrock", 424, { message: "No." }, aws("ModelErrorException")],
    ["bedrock", 408, { message: "No." }, aws("ModelTimeoutException")],
  ],
  bad_request: [
    ["openai", 400, openai("invalid_request_error", "invalid_value")],
    ["openai", 404, openai("invalid_request_error", "model_not_found")],
    [
      "openai",
      403,
      { error: { code: 403, message: "Your input was flagged", metadata: { reasons: ["hate"] } } },
    ],
    [
      "openai",
      404,
      {
        object: "error",
        message: "The model `x` does not exist.",
        type: "NotFoundError",
        code: 404,
      },
    ],
    ["azure", 404, { error: { code: "DeploymentNotFound", message: "No." } }],
    [
      "azure",
      400,
      {
        error: {
          code: "content_filter",
          message: "The response was filtered.",
          innererror: { code: "ResponsibleAIPolicyViolation" },
        },
      },
    ],
    ["anthropic", 400, anthropic("invalid_request_error", "messages: roles must alternate")],
    ["anthropic", 403, anthropic("permission_error")],
    ["anthropic", 404, anthropic("not_found_error", "model: claude-1")],
    ["google", 400, google(400, "FAILED_PRECONDITION", "The File is not in an ACTIVE state.")],
    ["google", 400, google(400, "INVALID_ARGUMENT", "Invalid value at 'contents'")],
    ["google", 404, google(404, "NOT_FOUND", "models/x is not found")],
    ["vertex", 404, google(404, "NOT_FOUND", "Publisher Model x was not found")],
    ["vertex", 400, anthropic("invalid_request_error", "messages: Field required")],
    [
      "mistral",
      422,
      {
        object: "error",
        message: { detail: [{ msg: "Extra inputs" }] },
        type: "invalid_request_error",
      },
    ],
    [
      "mistral",
      400,
      { object: "error", message: "Invalid model: x", type: "invalid_model", code: "1500" },
    ],
    ["cohere", 404, { message: "model 'x' not found" }],
    ["cohere", 422, { message: "No." }],
    ["voyage", 400, { detail: "Model x is not supported." }],
    ["jina", 422, { detail: [{ msg: "field required", loc: ["body", "model"] }] }],
    ["elevenlabs", 404, elevenlabs("voice_not_found")],
    ["elevenlabs", 401, elevenlabs("only_for_creator+")],
    ["elevenlabs", 401, elevenlabs("of_next_year")],
    ["elevenlabs", 403, elevenlabs("output_format_not_allowed")],
    ["deepgram", 400, { err_code: "Bad Request", err_msg: "corrupt or unsupported data" }],
    [
      "deepgram",
      403,
      {
        err_code: "INSUFFICIENT_PERMISSIONS",
        err_msg: "Project does not have access to the requested model.",
      },
    ],
    [
      "xai",
      404,
      {
        code: "not-found",
        error: "The model x does not exist or your team does not have access to it.",
      },
    ],
    ["xai", 403, { code: "permission-denied", error: "Content violates usage guidelines." }],
    ["bedrock", 400, { message: "No." }, aws("ValidationException")],
    [
      "bedrock",
      403,
      { message: "You don't have access to the model with the specified model ID." },
      aws("AccessDeniedException"),
    ],
    ["bedrock", 404, { message: "No." }, aws("ResourceNotFoundException")],
  ],
};

const textOf = (part: unknown) => (typeof part === "object" ? JSON.stringify(part) : String(part));

describe.each(Object.entries(cells))("%s", (meaning, rows) => {
  const titled = rows.map((cell) => [cell.slice(0, 3).map(textOf).join(" "), cell] as const);
  test.each(titled)("%s", async (_, [kind, status, body, headers]) => {
    const failure = await readRefusalOf(kind, status, body, headers);
    expect(failure).toMatchObject({ status, meaning });
    const stops = meaning === "bad_request" && [400, 413, 422].includes(status);
    expect(failure.passesOn).toBe(!stops);
  });

  test("has the words of every kind", () => {
    const missing = Object.keys(vendors).filter((kind) => !rows.some(([name]) => name === kind));
    // Deepgram has no refusal of a request that is too large.
    expect(missing).toEqual(meaning === "too_large" ? ["deepgram"] : []);
  });
});

test("clients are told what is wrong with their request, and operators of key and bill", async () => {
  const bad = await readRefusalOf("openai", 400, openai("invalid_request_error", null, "Too hot."));
  expect(bad).toMatchObject({ hint: "Too hot.", said: undefined });
  const message = "Incorrect API key provided: sk-of-the-gateway, not sk-proj-****abcd.";
  const refused = await readRefusalOf("openai", 401, openai(null, "invalid_api_key", message));
  expect(refused.hint).toBeUndefined();
  expect(refused.said).toBe("Incorrect API key provided: [key], not [key].");
});

test.each(
  Object.keys(vendors) as KindName[],
)("a client cannot write the words of %s", async (kind) => {
  const words = Object.values(cells)
    .flat()
    .map(([, , body]) => vendors[kind].refusalMessage(body))
    .filter((message) => message !== undefined);
  for (const said of [...words, "insufficient_quota", "API_KEY_INVALID", "ExpiredTokenException"]) {
    const message = `Invalid value: '${said}'`;
    for (const body of [
      openai("invalid_request_error", null, message),
      { message },
      { detail: message },
    ]) {
      const { meaning } = await readRefusalOf(kind, 400, body);
      expect(["bad_request", "too_large"]).toContain(meaning);
    }
  }
});
