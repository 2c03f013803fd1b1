import { type ErrorCode, errorCatalogue } from "@tollgate/core/errors";
import { maxFormBytes, maxUploadBytes } from "@tollgate/http/form-fields";
import type { Auth } from "../auth/authenticate.ts";
import { maxBodyBytes } from "../http/request-body.ts";
import { isFree, type RouteRules } from "../routes/route-rules.ts";
import { type ErrorExamples, errorExampleRefs } from "./error-examples.ts";
import { type HeaderName, headerRefs, rateLimitNames } from "./headers.ts";
import { type JsonSchema, schemaRef } from "./json-schema.ts";
import type { Operation } from "./operation.ts";

export const envelopeName = "ErrorEnvelope";

const mebibyte = 1024 * 1024;

/** When each code is sent. */
const meanings: Record<ErrorCode, string> = {
  invalid_json: `The body is not a JSON object or a form, is JSON over ${maxBodyBytes / mebibyte} MiB, or arrives too slowly.`,
  invalid_param: "A field has an invalid value, or a required field is missing.",
  unknown_param: "The route has no such field or query parameter.",
  context_length_exceeded:
    "The conversation with its new turn, or the prompt of an agent, exceeds the model's context.",
  sessions_unavailable: "This gateway does not store conversations.",
  unsupported_audio_format: "The audio of a stream is not 16 kHz mono PCM.",
  invalid_api_key: "The API key is missing, unknown or expired.",
  credit_balance_exhausted:
    "The wallet has no available balance, or the budget of the key or its account is used up.",
  key_revoked: "The API key was revoked.",
  channel_key_required: "The route requires a settlement-channel key.",
  model_not_found: "The route serves no model with this alias, or the API key may not call it.",
  conversation_not_found: "The key has no such conversation.",
  not_found: "Nothing exists at this address, or under this id.",
  method_not_allowed: "The address exists and does not allow this method.",
  idempotency_key_reused: "The Idempotency-Key was used for another request.",
  idempotency_key_in_use: "The first request with this Idempotency-Key is still running.",
  request_too_large:
    `The files of the upload have more than ${maxUploadBytes / mebibyte} MiB, or the form has more ` +
    `than ${maxFormBytes / mebibyte} MiB in all.`,
  rate_limited:
    "A limit of the key or its account is reached: requests or tokens per minute, or parallel " +
    "requests. Or another request used the conversation for too long. Nothing was charged or stored.",
  internal_error: "The gateway failed. Retry, preferably with an Idempotency-Key.",
  upstream_rejected: "No provider of the model could serve the request.",
  no_provider_available:
    "No provider or service for the request is reachable, the account's wallet is locked, or the " +
    "space for uploads is in use. Retry in a moment.",
};

/** The status of `invalid_json` for a body in a content coding that is not decoded. */
const unknownCoding = {
  status: 415,
  meaning: "The body has a content coding that is not decoded.",
};

const codes = Object.keys(errorCatalogue) as ErrorCode[];

interface ErrorRow {
  code: ErrorCode;
  status: number;
  type: string;
  meaning: string;
}

/** All errors, as the document lists them. */
export const errorTable: readonly ErrorRow[] = codes.flatMap((code) => {
  const row = { code, ...errorCatalogue[code], meaning: meanings[code] };
  return code === "invalid_json" ? [row, { ...row, ...unknownCoding }] : [row];
});

/** The body of every error response. */
export const envelopeSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "code"],
      properties: {
        message: {
          type: "string",
          description: "A message for people. Its wording may change.",
        },
        type: {
          type: "string",
          enum: [...new Set(errorTable.map(({ type }) => type))],
          description: "The category of the error.",
        },
        param: { type: "string", description: "The field that caused the error, if there is one." },
        code: {
          type: "string",
          enum: codes,
          description: "The error code, for programs. Codes do not change.",
        },
      },
    },
  },
};

/** The errors of authentication. */
const authErrors: Record<Auth, readonly ErrorCode[]> = {
  key: ["invalid_api_key", "key_revoked", "internal_error"],
  "key in either header": ["invalid_api_key", "key_revoked", "internal_error"],
  "optional key": ["invalid_api_key", "key_revoked", "internal_error"],
  "settlement key": ["invalid_api_key", "key_revoked", "channel_key_required", "internal_error"],
  none: [],
};

/**
 * Returns the error responses of a route by status, and adds their examples to those of the document.
 * `operation` has all errors of the route but those of its key.
 */
export function errorResponses(
  rules: RouteRules,
  operation: Operation,
  commonHeaders: readonly HeaderName[],
  examples: ErrorExamples,
): Record<string, JsonSchema> {
  const { auth, errorForm, variantForm } = rules;
  const possible = new Set([...authErrors[auth], ...(operation.errors ?? [])]);
  const rates = isFree(rules) ? [] : rateLimitNames;
  const byStatus = Map.groupBy(
    errorTable.filter(({ code }) => possible.has(code)),
    ({ status }) => status,
  );
  const isOfVariant = ({ code }: ErrorRow) => operation.variantErrors?.includes(code);
  const responses = [...byStatus].map(([status, rows]) => {
    const usual = { form: errorForm, rows: rows.filter((row) => !isOfVariant(row)) };
    const forms = variantForm === undefined ? [usual] : [usual, { form: variantForm, rows }];
    const response = {
      description: rows.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join("\n\n"),
      headers: headerRefs([
        ...commonHeaders,
        ...rows.flatMap(({ code }) => headersOf(code, possible, rates)),
      ]),
      content: {
        "application/json": {
          schema: oneOf(
            forms.map(({ form, rows: sent }) => envelopeOf(sent, form?.name ?? envelopeName)),
          ),
          examples: errorExampleRefs({ forms, operation, isFree: isFree(rules) }, examples),
        },
      },
    };
    return [status, response];
  });
  return Object.fromEntries(responses) as Record<string, JsonSchema>;
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = schemas;
  return schemas.length === 1 ? first : { anyOf: [...schemas] };
}

function envelopeOf(rows: readonly ErrorRow[], name: string): JsonSchema {
  const code = { enum: rows.map((row) => row.code) };
  const type = { enum: [...new Set(rows.map((row) => row.type))] };
  const properties = name === envelopeName ? { type, code } : { code };
  return { allOf: [schemaRef(name), { properties: { error: { properties } } }] };
}

const retryHeaders: HeaderName[] = ["Retry-After", "x-should-retry"];

/** Returns the headers of an error on a route with all these errors. */
function headersOf(
  code: ErrorCode,
  possible: ReadonlySet<ErrorCode>,
  rates: readonly HeaderName[],
): HeaderName[] {
  if (code === "invalid_api_key") return ["WWW-Authenticate"];
  if (code === "idempotency_key_reused" || code === "upstream_rejected") return ["x-should-retry"];
  if (code === "idempotency_key_in_use") return retryHeaders;
  if (code === "rate_limited") return [...retryHeaders, ...rates];
  const takesHolds = possible.has("credit_balance_exhausted");
  if (code === "credit_balance_exhausted" && possible.has("rate_limited")) return [...rates];
  // A route that takes holds can find the wallet locked; an upload, the space in use.
  return code === "no_provider_available" && takesHolds ? retryHeaders : [];
}
