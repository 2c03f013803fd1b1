/**
 * The codes of the wire contract, once: what each means on HTTP and which family it belongs to.
 * Nothing else in the project pairs a code with a status.
 */
export const errorCatalogue = {
  invalid_json: { status: 400, type: "invalid_request_error" },
  invalid_param: { status: 400, type: "invalid_request_error" },
  unknown_param: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  sessions_unavailable: { status: 400, type: "invalid_request_error" },
  unsupported_audio_format: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  credit_balance_exhausted: { status: 402, type: "insufficient_credits" },
  key_revoked: { status: 403, type: "permission_error" },
  channel_key_required: { status: 403, type: "permission_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  conversation_not_found: { status: 404, type: "invalid_request_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  idempotency_key_reused: { status: 409, type: "invalid_request_error" },
  idempotency_key_in_use: { status: 409, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "invalid_request_error" },
  rate_limited: { status: 429, type: "rate_limit_error" },
  internal_error: { status: 500, type: "api_error" },
  upstream_rejected: { status: 502, type: "api_error" },
  no_provider_available: { status: 503, type: "api_error" },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;
export type ErrorType = (typeof errorCatalogue)[ErrorCode]["type"];

/** An error that names its reason in one of few words, which spans carry as `error.type`. */
export interface ClassifiedError extends Error {
  readonly errorType: string;
}

export function isClassified(error: unknown): error is ClassifiedError {
  return error instanceof Error && "errorType" in error;
}

export interface GatewayErrorDetails {
  /** The path of the one field that caused the error, for instance `messages[2].role`. */
  param?: string | undefined;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * A refusal or failure that the client is told about. `message` is written for the client: it
 * never holds a secret, a stack or the name of a machine. It may hold a client's or a provider's
 * own words; half a character, which no protocol can carry, is replaced.
 */
export class GatewayError extends Error implements ClassifiedError {
  override readonly name = "GatewayError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, details: GatewayErrorDetails = {}) {
    const options = details.cause === undefined ? undefined : { cause: details.cause };
    super(message.toWellFormed(), options);
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.type = errorCatalogue[code].type;
    this.param = details.param?.toWellFormed();
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  get errorType(): ErrorCode {
    return this.code;
  }
}

export interface ErrorEnvelope {
  error: { message: string; type: ErrorType; param?: string; code: ErrorCode };
}

/** The body of every error answer. `param` is there only when one field caused the error. */
export function envelope(error: GatewayError): ErrorEnvelope {
  const { message, type, param, code } = error;
  return { error: { message, type, ...(param === undefined ? {} : { param }), code } };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** The refusal of a field, a query parameter or a header; `what` says what is wrong with it. */
export function invalidParam(param: string, what: string): GatewayError {
  return new GatewayError("invalid_param", `${param}: ${what}.`, { param });
}

/** How much of an unknown name a client is shown again. */
const maxNameShown = 200;

/** The refusal of a field, a form's part or a query parameter that a route does not take. */
export function unknownParam(name: string): GatewayError {
  const param = name.slice(0, maxNameShown);
  return new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}

/** The failure that says nothing of the inside, for whatever was not foreseen. */
export function internalError(cause: unknown): GatewayError {
  const message =
    "Something failed inside the gateway. Retry, and name the request id if it stays.";
  return new GatewayError("internal_error", message, { cause });
}

/** What a client is told where a service could not be asked. */
export function serviceUnavailable(cause?: unknown): GatewayError {
  const message = "A part of the gateway cannot be reached now. Retry in a moment.";
  return new GatewayError("no_provider_available", message, { cause });
}

/**
 * A service that could not be asked: out of reach, too slow, or the caller went away first. The
 * edge answers it with 503, or 500 where no provider takes part; a service on the way may know
 * better.
 */
export class PeerError extends Error implements ClassifiedError {
  override readonly name = "PeerError";
  readonly reason: "unavailable" | "deadline" | "cancelled" | "refused" | "draining";

  constructor(reason: PeerError["reason"], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }

  get errorType(): PeerError["reason"] {
    return this.reason;
  }
}

/** A reason not to start, told in one line before the program exits with code 1. */
export class StartError extends Error {
  override readonly name = "StartError";
}
