import type { ErrorCode } from "@tollgate/core/errors";
import { keyPattern } from "../idempotency/request-key.ts";
import type { HeaderName } from "./headers.ts";
import type { JsonBody, Operation, Parameter, ResponseDoc } from "./operation.ts";

/** The errors of every route served by `billableHandler`. */
const billableErrors: readonly ErrorCode[] = [
  "invalid_json",
  "unknown_param",
  "invalid_param",
  "credit_balance_exhausted",
  "model_not_found",
  "rate_limited",
  "upstream_rejected",
  "no_provider_available",
];
const replayErrors: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_key_in_use"];
const replayHeaders: readonly HeaderName[] = ["Idempotency-Replayed"];

const replayedKey: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description:
    "A unique value that makes retries safe. For 24 hours, the same request with the same key " +
    "returns the stored response at no cost. A different request with the same key is rejected.",
  schema: { type: "string", pattern: keyPattern.source },
};

/** The parameter on routes whose retries run again. */
export const ignoredKey: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description: "Accepted and ignored: a retry runs again, and is billed again.",
  schema: { type: "string" },
};

type BillableOperation = Omit<Operation, "responses" | "body"> & {
  body: JsonBody;
  /** The response with status 200. */
  response: ResponseDoc;
};

/** Returns the operation of a billable route whose responses are stored and replayed. */
export function replayedOperation({
  response,
  errors = [],
  parameters = [],
  ...rest
}: BillableOperation): Operation {
  const headers = [...(response.headers ?? []), ...replayHeaders];
  return {
    ...rest,
    parameters: [replayedKey, ...parameters],
    responses: { 200: { ...response, headers } },
    errors: [...billableErrors, ...replayErrors, ...errors],
  };
}

/** Returns the operation of a billable route whose retries run again. */
export function repeatedOperation({
  response,
  errors = [],
  parameters = [],
  ...rest
}: BillableOperation): Operation {
  return {
    ...rest,
    parameters: [ignoredKey, ...parameters],
    responses: { 200: response },
    errors: [...billableErrors, ...errors],
  };
}
