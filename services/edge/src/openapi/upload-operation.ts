import type { ErrorCode } from "@tollgate/core/errors";
import { withoutReplay } from "./billable-operation.ts";
import type { FormBody, Operation } from "./operation.ts";

/** What reading a form, and serving it, can come to. */
const uploadErrors: readonly ErrorCode[] = [
  "invalid_json",
  "unknown_param",
  "invalid_param",
  "credit_balance_exhausted",
  "model_not_found",
  "request_too_large",
  "upstream_rejected",
  "no_provider_available",
];

/** The operation of a route that takes a form, where a retry runs again. */
export function uploadOperation({
  errors = [],
  ...rest
}: Omit<Operation, "access" | "parameters"> & { body: FormBody }): Operation {
  return {
    ...rest,
    access: "key",
    parameters: [withoutReplay],
    errors: [...uploadErrors, ...errors],
  };
}
