import type { ZodError } from "zod";
import type { SimulatorCall } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";

/** An error as model providers report it. */
export interface ProviderError {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
}

/** The routes whose errors have the form of Anthropic's API. */
export const messagesPath = "/v1/messages";
export const countTokensPath = "/v1/messages/count_tokens";

/** OpenAI's Responses API. */
export const responsesPath = "/v1/responses";

/** A location of Vertex AI: the only project there is. */
export const vertexPath = "/vertex/v1/projects/acme/locations/us-central1";

/** Where the errors have the form of Bedrock's API. */
const bedrockPath = "/bedrock/";

/** The `Retry-After` of a 429. */
const RETRY_AFTER_SECONDS = 1;

/** Sends an error status with an OpenAI-like body, and records it in the call log. */
export function sendProviderError(
  call: SimulatorCall,
  error: ProviderError,
  recorded?: RecordedCall,
): void {
  if (recorded !== undefined) {
    recorded.status = error.status;
    recorded.outcome = "failed";
  }
  const body = JSON.stringify(bodyOf(call.path, error));
  if (error.status === 429) call.response.setHeader("retry-after", RETRY_AFTER_SECONDS);
  if (error.status === 429 && call.path === responsesPath) setLimitHeaders(call);
  if (call.path.startsWith(bedrockPath)) {
    call.response.setHeader("x-amzn-errortype", bedrockException(error.status));
  }
  call.response.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  call.response.end(body);
}

/** https://developers.openai.com/api/docs/guides/rate-limits */
function setLimitHeaders({ response }: SimulatorCall): void {
  response.setHeader("retry-after-ms", RETRY_AFTER_SECONDS * 1_000);
  response.setHeader("x-ratelimit-limit-requests", 60);
  response.setHeader("x-ratelimit-remaining-requests", 0);
  response.setHeader("x-ratelimit-reset-requests", `${RETRY_AFTER_SECONDS}s`);
}

/** Returns an error as the vendor of the path sends it. */
function bodyOf(path: string, error: ProviderError): object {
  const { message } = error;
  if (path === messagesPath || path === countTokensPath) return messagesErrorBody(error);
  if (path.startsWith("/google/")) return googleErrorBody(error);
  if (path.startsWith(vertexPath)) return vertexErrorBody(path, error);
  if (path.startsWith("/mistral/")) return mistralErrorBody(error);
  if (path.startsWith("/cohere/")) return { id: "simulated", message };
  if (path.startsWith("/elevenlabs/")) return { detail: { status: "simulated", message } };
  if (path.startsWith("/deepgram/"))
    return { err_code: "SIMULATED", err_msg: message, request_id: "" };
  if (path.startsWith(bedrockPath)) return { message };
  if (path.startsWith("/xai/")) return { code: xaiCode(error.status), error: message };
  if (path.startsWith("/voyage/") || path.startsWith("/jina/")) return { detail: message };
  return errorBody(error);
}

/** Vertex AI passes the errors of Claude on, but for those of its own, such as a missing token. */
function vertexErrorBody(path: string, error: ProviderError): object {
  const isOwn = error.status === 401 || !path.includes("/publishers/anthropic/");
  return isOwn ? googleErrorBody(error) : messagesErrorBody(error);
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
function bedrockException(status: number): string {
  const names: Readonly<Record<number, string>> = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
  };
  return names[status] ?? (status < 500 ? "ValidationException" : "InternalServerException");
}

/** https://docs.x.ai/docs/key-information/debugging */
function xaiCode(status: number): string {
  if (status === 429) return "Some resource has been exhausted";
  if (status < 500) return "Client specified an invalid argument";
  return "The service is currently unavailable";
}

/** Sends a 400 that reports the first issue of a failed schema validation. */
export function sendInvalidRequest(
  call: SimulatorCall,
  { issues: [issue] }: ZodError,
  recorded?: RecordedCall,
): void {
  const param = issue?.path.join(".") ?? "";
  sendProviderError(call, { status: 400, message: `${param}: ${issue?.message}`, param }, recorded);
}

/** Returns an error as Anthropic's API sends it, in a response or as an event of a stream. */
export function messagesErrorBody({ status, message }: ProviderError): object {
  return { type: "error", error: { type: messagesErrorType(status), message } };
}

/** https://docs.claude.com/en/api/errors */
function messagesErrorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
  };
  return types[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** Returns an error as Google's APIs send it, in a response or as an event of a stream. */
export function googleErrorBody({ status, message }: ProviderError): object {
  return { error: { code: status, message, status: googleStatus(status) } };
}

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
function googleStatus(status: number): string {
  const names: Readonly<Record<number, string>> = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  return names[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}

/** Returns an error as Mistral's API sends it, in a response or as an event of a stream. */
export function mistralErrorBody({ status, message }: ProviderError): object {
  const [type, code] = mistralError(status);
  // The reasons of a 422 are in an object: https://docs.mistral.ai/api
  const said = status === 422 ? { detail: [{ type: "invalid", msg: message }] } : message;
  return { object: "error", message: said, type, param: null, code, raw_status_code: status };
}

function mistralError(status: number): readonly [type: string, code: string | null] {
  if (status === 401) return ["invalid_request_error", null];
  if (status === 429) return ["service_tier_capacity_exceeded", "3505"];
  if (status === 503) return ["unreachable_backend", "1100"];
  return [status < 500 ? "invalid_request_error" : "internal_server_error", "3000"];
}

export function errorBody(error: ProviderError): object {
  const { message, param = null, code = null } = error;
  return { error: { message, type: errorType(error.status), param, code } };
}

function errorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
