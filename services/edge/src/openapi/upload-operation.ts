import type { ErrorCode } from "@tollgate/core/errors";
import { ignoredKey } from "./billable-operation.ts";
import type { FormBody, Operation } from "./operation.ts";

/** The errors of every route that takes a form. */
const uploadErrors: readonly ErrorCode[] = [
  "invalid_json",
  "unknown_param",
  "invalid_param",
  "credit_balance_exhausted",
  "model_not_found",
  "request_too_large",
  "rate_limited",
  "upstream_rejected",
  "no_provider_available",
];

/** Returns the operation of a route that takes a form. Its retries run again. */
export function uploadOperation({
  errors = [],
  ...rest
}: Omit<Operation, "parameters"> & { body: FormBody }): Operation {
  return {
    ...rest,
    parameters: [ignoredKey],
    errors: [...uploadErrors, ...errors],
  };
}
