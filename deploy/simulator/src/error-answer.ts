import type { ZodError } from "zod";
import type { Call } from "./call.ts";
import type { JournalEntry } from "./journal.ts";

/** A failure in the form that model providers give it. */
export interface ProviderError {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
}

/** Seconds in the `Retry-After` of a 429. */
const RETRY_AFTER_SECONDS = 1;

/** Answers an error status with an OpenAI-like body, and notes it in the journal. */
export function answerError(call: Call, error: ProviderError, entry?: JournalEntry): void {
  if (entry !== undefined) {
    entry.status = error.status;
    entry.outcome = "failed";
  }
  const body = JSON.stringify(errorBody(error));
  if (error.status === 429) call.response.setHeader("retry-after", RETRY_AFTER_SECONDS);
  call.response.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  call.response.end(body);
}

/** Answers 400 for a request that its schema refuses, by the first of what is wrong with it. */
export function answerInvalid(
  call: Call,
  { issues: [issue] }: ZodError,
  entry: JournalEntry,
): void {
  const param = issue?.path.join(".") ?? "";
  answerError(call, { status: 400, message: `${param}: ${issue?.message}`, param }, entry);
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
