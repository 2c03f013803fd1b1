import { type ErrorCode, errorCatalogue } from "@tollgate/core/errors";
import { maxUploadBytes } from "@tollgate/http/form-fields";
import { maxBodyBytes } from "../json-body.ts";
import { type HeaderName, referToHeaders } from "./headers.ts";
import type { Access } from "./operation.ts";
import { type JsonSchema, referTo } from "./schema.ts";

export const envelopeName = "ErrorEnvelope";

const mebibyte = 1024 * 1024;

/** When each code is answered. */
const meanings: Record<ErrorCode, string> = {
  invalid_json: `The body is no JSON object, no form, or JSON over ${maxBodyBytes / mebibyte} MiB.`,
  invalid_param: "A field has a value that is not taken, or one that it needs is missing.",
  unknown_param: "The route has no such field or query parameter.",
  context_length_exceeded: "The conversation and its new turn are longer than the model reads.",
  sessions_unavailable: "This gateway stores no conversations.",
  unsupported_audio_format: "A stream takes 16 kHz mono PCM and nothing else.",
  invalid_api_key: "The key is missing, or not known.",
  credit_balance_exhausted: "The wallet has nothing free.",
  key_revoked: "The key was revoked.",
  channel_key_required: "Only a settlement channel's key may ask this.",
  model_not_found: "No model of that alias is served on this route.",
  conversation_not_found: "The key has no such conversation.",
  not_found: "There is nothing under this id or address.",
  method_not_allowed: "The address is known, and does not take this method.",
  idempotency_key_reused: "The Idempotency-Key came before with another request.",
  idempotency_key_in_use: "The first request under the Idempotency-Key still runs.",
  request_too_large: `The upload is over ${maxUploadBytes / mebibyte} MiB.`,
  rate_limited: "Another request held the conversation for too long; nothing was stored.",
  internal_error: "The gateway failed. Retry, best with an Idempotency-Key.",
  upstream_rejected: "No provider in the model's chain could answer the request.",
  no_provider_available: "Nothing that can serve the request is within reach. Retry in a moment.",
};

const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** All codes, as the document and its page list them. */
export const errorTable = codes.map((code) => ({
  code,
  ...errorCatalogue[code],
  meaning: meanings[code],
}));

/** The body of every error. */
export const envelopeSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "code"],
      properties: {
        message: { type: "string", description: "For people; it may change." },
        type: { type: "string", enum: [...new Set(errorTable.map(({ type }) => type))] },
        param: { type: "string", description: "The one field to blame, where there is one." },
        code: { type: "string", enum: codes, description: "For programs; it stays." },
      },
    },
  },
};

/** What an operation refuses because of how it is entered. */
const accessErrors: Record<Access, readonly ErrorCode[]> = {
  key: ["invalid_api_key", "key_revoked", "internal_error"],
  "optional key": ["invalid_api_key", "key_revoked", "internal_error"],
  "settlement key": ["invalid_api_key", "key_revoked", "channel_key_required", "internal_error"],
  open: [],
};

/** The error answers of an operation by their statuses. */
export function errorAnswers(
  access: Access,
  own: readonly ErrorCode[],
  everyHeader: readonly HeaderName[],
): Record<string, JsonSchema> {
  const possible = new Set([...accessErrors[access], ...own]);
  const byStatus = Map.groupBy(
    errorTable.filter(({ code }) => possible.has(code)),
    ({ status }) => status,
  );
  const answers = [...byStatus].map(([status, rows]) => [
    status,
    {
      description: rows.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join("\n\n"),
      headers: referToHeaders([...everyHeader, ...rows.flatMap(({ code }) => headersOf(code))]),
      content: { "application/json": { schema: envelopeOf(rows) } },
    },
  ]);
  return Object.fromEntries(answers) as Record<string, JsonSchema>;
}

function envelopeOf(rows: typeof errorTable): JsonSchema {
  const code = { enum: rows.map((row) => row.code) };
  const type = { enum: [...new Set(rows.map((row) => row.type))] };
  return {
    allOf: [referTo(envelopeName), { properties: { error: { properties: { type, code } } } }],
  };
}

function headersOf(code: ErrorCode): HeaderName[] {
  if (code === "invalid_api_key") return ["WWW-Authenticate"];
  if (code === "idempotency_key_reused") return ["x-should-retry"];
  if (code === "idempotency_key_in_use" || code === "rate_limited") {
    return ["Retry-After", "x-should-retry"];
  }
  return [];
}
