import type { ErrorCode } from "@tollgate/core/errors";
import { keyPattern } from "../idempotency/request-key.ts";
import type { HeaderName } from "./headers.ts";
import type { AnswerDoc, JsonBody, Operation, Parameter } from "./operation.ts";

/** What `billable` does of itself for every route that it serves. */
const billableErrors: readonly ErrorCode[] = [
  "invalid_json",
  "unknown_param",
  "invalid_param",
  "credit_balance_exhausted",
  "model_not_found",
  "upstream_rejected",
  "no_provider_available",
];
const replayErrors: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_key_in_use"];
const replayHeaders: readonly HeaderName[] = ["Idempotency-Replayed"];

const replayed: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description:
    "Makes a retry safe: for 24 hours the same request under the same key gets the stored answer " +
    "and costs nothing, and another request under it is refused.",
  schema: { type: "string", pattern: keyPattern.source },
};

/** On routes whose retries run again. */
export const withoutReplay: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description: "Taken without an effect: a retry runs, and is billed, again.",
  schema: { type: "string" },
};

type BillableOperation = Omit<Operation, "access" | "parameters" | "answers" | "body"> & {
  body: JsonBody;
  /** Its 200. */
  answer: AnswerDoc;
};

/** The operation of a route that `billable` serves, and whose answers are replayed. */
export function replayedOperation({ answer, errors = [], ...rest }: BillableOperation): Operation {
  const headers = [...(answer.headers ?? []), ...replayHeaders];
  return {
    ...rest,
    access: "key",
    parameters: [replayed],
    answers: { 200: { ...answer, headers } },
    errors: [...billableErrors, ...replayErrors, ...errors],
  };
}

/** The operation of a route that `billable` serves, where a retry runs again. */
export function repeatedOperation({ answer, errors = [], ...rest }: BillableOperation): Operation {
  return {
    ...rest,
    access: "key",
    parameters: [withoutReplay],
    answers: { 200: answer },
    errors: [...billableErrors, ...errors],
  };
}
