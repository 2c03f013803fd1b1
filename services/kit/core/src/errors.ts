import type { Rates } from "./rates.ts";

/**
 * The error codes of the wire contract, each with its HTTP status and its type. Nothing else in the
 * project maps a code to a status, but for a body in an unknown coding: `GatewayErrorDetails.status`.
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

/** An error with a reason out of a small set, which spans carry as `error.type`. */
export interface ClassifiedError extends Error {
  readonly errorType: string;
}

export function isClassified(error: unknown): error is ClassifiedError {
  return error instanceof Error && "errorType" in error;
}

export interface GatewayErrorDetails {
  /** The HTTP status, where it is not that of the code. */
  status?: number;
  /** The path of the one field that caused the error, for instance `messages[2].role`. */
  param?: string | undefined;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number | undefined;
  /** Whether the same request would fail again, although the status suggests a retry. */
  isPermanent?: boolean;
  /** The HTTP status, or that of its error's type, by which a provider broke a stream. */
  providerStatus?: number | undefined;
  /** The rates of the key, where a limit refused the request. */
  rates?: Rates | undefined;
  hasRecord?: boolean;
  cause?: unknown;
}

/**
 * An error that the client receives. `message` is written for the client: it never contains a
 * secret, a stack trace or a host name. It may quote the client or the provider; a lone surrogate,
 * which UTF-8 cannot encode, is replaced.
 */
export class GatewayError extends Error implements ClassifiedError {
  override readonly name = "GatewayError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isPermanent: boolean;
  readonly providerStatus: number | undefined;
  readonly rates: Rates | undefined;
  /** Whether the request held money, so that the ledger has a record of it. */
  hasRecord: boolean;

  constructor(code: ErrorCode, message: string, details: GatewayErrorDetails = {}) {
    const options = details.cause === undefined ? undefined : { cause: details.cause };
    super(message.toWellFormed(), options);
    this.code = code;
    this.status = details.status ?? errorCatalogue[code].status;
    this.type = errorCatalogue[code].type;
    this.param = details.param?.toWellFormed();
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isPermanent = details.isPermanent ?? false;
    this.providerStatus = details.providerStatus;
    this.rates = details.rates;
    this.hasRecord = details.hasRecord ?? false;
  }

  get errorType(): ErrorCode {
    return this.code;
  }
}

export interface ErrorEnvelope {
  error: { message: string; type: ErrorType; param?: string; code: ErrorCode };
}

/** Returns the body of an error response. `param` is present if one field caused the error. */
export function envelope(error: GatewayError): ErrorEnvelope {
  const { message, type, param, code } = error;
  return { error: { message, type, ...(param === undefined ? {} : { param }), code } };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/**
 * Returns the error of an invalid field, query parameter or header. `problem` follows its name: "must
 * be a string".
 */
export function invalidParam(param: string, problem: string): GatewayError {
  return new GatewayError("invalid_param", `${param} ${problem}.`, { param });
}

/** How much of an unknown name an error quotes. */
const maxQuotedLength = 200;

/** Returns the error of a field, form part or query parameter that a route does not accept. */
export function unknownParam(name: string): GatewayError {
  const param = name.slice(0, maxQuotedLength);
  return new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}

/** Returns the error of an unexpected failure. It reveals nothing of the cause. */
export function internalError(cause: unknown): GatewayError {
  const message =
    "The gateway failed with an internal error. Retry, and report the request id if it persists.";
  return new GatewayError("internal_error", message, { cause });
}

/** Returns the error of a request that needed a service of the gateway that is unavailable. */
export function serviceUnavailable(cause?: unknown): GatewayError {
  const message = "A service of the gateway is unavailable. Retry in a moment.";
  return new GatewayError("no_provider_available", message, { cause });
}

/**
 * The failure of a call to another service: it was unavailable, too slow, or refused the call, or
 * the caller cancelled. The edge responds with 503, or with 500 on a route without a provider,
 * unless a service in between handles it.
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

/** A reason not to start. The program prints its message on one line and exits with code 1. */
export class StartError extends Error {
  override readonly name = "StartError";
}
