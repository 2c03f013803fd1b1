import { create } from "@bufbuild/protobuf";
import {
  type ErrorCode,
  envelope,
  errorCatalogue,
  GatewayError,
  internalError,
  invalidParam,
  unknownParam,
} from "@tollgate/core/errors";
import { notFound } from "@tollgate/http/error-response";
import { malformedForm, uploadTooLarge } from "@tollgate/http/multipart";
import { limitExceeded } from "@tollgate/metering/holds/limit-refusal";
import { walletExhausted } from "@tollgate/metering/holds/wallet-refusal";
import { LimitKind, LimitRefusalSchema } from "@tollgate/proto/tollgate/v1/limits";
import { channelKeyRequired, keyRevoked, keyUnknown } from "../auth/authenticate.ts";
import { tooManyFreeCalls } from "../auth/free-calls.ts";
import { unknownCoding } from "../http/content-coding.ts";
import type { ErrorForm } from "../http/error-form.ts";
import { undecodedCoding } from "../http/read-body.ts";
import { idempotencyKeyInUse, idempotencyKeyReused } from "../idempotency/leases.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Operation } from "./operation.ts";

/** The examples of the document's errors, by the names of their components. */
export type ErrorExamples = Record<string, { value: object }>;

/** A code, and the status with which it is sent. */
type SentCode = Readonly<{ code: ErrorCode; status: number }>;

/** The errors of one status of a route, by the forms in which it writes them. */
interface ErrorsOfStatus {
  /** A form that is undefined is the envelope. */
  forms: readonly { form: ErrorForm | undefined; rows: readonly SentCode[] }[];
  operation: Operation;
  /** Whether the route charges nothing for a call of a provider. */
  isFree: boolean;
}

/** Adds the examples of errors to those of the document, each once, and returns references to them. */
export function errorExampleRefs(
  { forms, operation, isFree }: ErrorsOfStatus,
  examples: ErrorExamples,
): Record<string, JsonSchema> {
  const refs = forms.flatMap(({ form, rows }) =>
    rows.map((row) => {
      const { name, error } = exampleOf(row, operation, isFree);
      const prefix = form === undefined ? "" : `${form.name}.`;
      const component = `${prefix}${name}`;
      examples[component] ??= { value: form?.bodyOf(error, requestId) ?? envelope(error) };
      return [`${prefix}${row.code}`, { $ref: `#/components/examples/${component}` }] as const;
    }),
  );
  return Object.fromEntries(refs);
}

const requestId = "req_0199d1b2111172228333444455556666";

interface ErrorExample {
  name: string;
  error: GatewayError;
}

function exampleOf(
  { code, status }: SentCode,
  operation: Operation,
  isFree: boolean,
): ErrorExample {
  const { id, body, ownErrors } = operation;
  const isForm = body?.kind === "form";
  if (status !== errorCatalogue[code].status) {
    return isForm
      ? { name: `${code}.form_coding`, error: unknownCoding("gzip", []) }
      : { name: `${code}.coding`, error: undecodedCoding("compress") };
  }
  const own = ownErrors?.[code];
  if (own !== undefined) return { name: `${code}.${id}`, error: own };
  if (code === "invalid_json" && isForm) {
    return { name: `${code}.form`, error: malformedForm("its Content-Type is a different type") };
  }
  if (code === "rate_limited" && isFree) {
    return { name: `${code}.free_calls`, error: tooManyFreeCalls(120, 0.1) };
  }
  return { name: code, error: exampleErrors[code] };
}

/** An error of each code, as most routes send it. */
const exampleErrors: Record<ErrorCode, GatewayError> = {
  invalid_json: new GatewayError("invalid_json", "The body is empty: a JSON object is required."),
  invalid_param: invalidParam("model", "is required"),
  unknown_param: unknownParam("colour"),
  context_length_exceeded: new GatewayError(
    "context_length_exceeded",
    "The conversation and this turn have 33210 tokens together, and demo-small takes 32768.",
    { param: "messages" },
  ),
  sessions_unavailable: new GatewayError(
    "sessions_unavailable",
    "This gateway does not store conversations: send all messages of the conversation.",
    { param: "session_id" },
  ),
  unsupported_audio_format: new GatewayError(
    "unsupported_audio_format",
    "A stream takes PCM only: 16 kHz, mono, 16-bit. The file is neither a WAV nor raw audio/L16.",
    { param: "file" },
  ),
  invalid_api_key: keyUnknown(),
  credit_balance_exhausted: walletExhausted(0n),
  key_revoked: keyRevoked(),
  channel_key_required: channelKeyRequired(),
  model_not_found: new GatewayError(
    "model_not_found",
    'No model of this route is called "demo-other".',
    { param: "model" },
  ),
  conversation_not_found: new GatewayError(
    "conversation_not_found",
    "This conversation was deleted. Start another with a new session_id.",
    { param: "session_id" },
  ),
  not_found: notFound(),
  method_not_allowed: new GatewayError("method_not_allowed", "PUT is not allowed here."),
  idempotency_key_reused: idempotencyKeyReused(),
  idempotency_key_in_use: idempotencyKeyInUse(),
  request_too_large: uploadTooLarge(),
  rate_limited: limitExceeded(
    create(LimitRefusalSchema, {
      kind: LimitKind.REQUESTS,
      limits: { requestsPerMinute: 60 },
      retryAfterMs: 3_000,
    }),
  ),
  internal_error: internalError(undefined),
  upstream_rejected: new GatewayError(
    "upstream_rejected",
    "The provider rejected the request. It said: The server had an error.",
  ),
  no_provider_available: new GatewayError(
    "no_provider_available",
    "No provider of this model can be reached at the moment.",
  ),
};
