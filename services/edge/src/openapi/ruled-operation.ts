import type { ErrorCode } from "@tollgate/core/errors";
import { keyPattern } from "../idempotency/request-key.ts";
import { isFree, type RouteRules } from "../routes/route-rules.ts";
import type { HeaderName } from "./headers.ts";
import type { Operation, Parameter, ResponseDoc } from "./operation.ts";

/** Returns a route's operation with the parameters, errors and headers that follow from its rules. */
export function ruledOperation(
  operation: Operation,
  rules: RouteRules,
): Operation & Required<Pick<Operation, "errors">> {
  const { idempotencyKey, query = [] } = rules;
  const key = idempotencyKey === undefined ? [] : [idempotencyKeys[idempotencyKey]];
  const ofQuery = query.map((one): Parameter => ({ in: "query", ...one }));
  const parameters = [...key, ...(operation.parameters ?? []), ...ofQuery];
  return {
    ...operation,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses:
      idempotencyKey === "replays" ? withReplays(operation.responses) : operation.responses,
    errors: [...errorsOf(operation, rules), ...(operation.errors ?? [])],
  };
}

const idempotencyKeys = {
  replays: {
    in: "header",
    name: "Idempotency-Key",
    description:
      "A unique value that makes retries safe. For 24 hours, the same request with the same key " +
      "returns the stored response at no cost. A different request with the same key is rejected. " +
      "Recommended: a client that disconnects pays for a response that is not a stream, and gets it " +
      "by a retry with the same key.",
    schema: { type: "string", pattern: keyPattern.source },
  },
  ignored: {
    in: "header",
    name: "Idempotency-Key",
    description: "Accepted and ignored: a retry runs again, and is billed again.",
    schema: { type: "string" },
  },
} satisfies Record<string, Parameter>;

function withReplays(responses: Operation["responses"]): Operation["responses"] {
  const replayHeaders: readonly HeaderName[] = ["Idempotency-Replayed"];
  const all = Object.entries(responses).map(([status, response]): [string, ResponseDoc] => [
    status,
    { ...response, headers: [...(response.headers ?? []), ...replayHeaders] },
  ]);
  return Object.fromEntries(all);
}

function errorsOf({ body }: Operation, rules: RouteRules): readonly ErrorCode[] {
  const { query, wallet, calls, idempotencyKey } = rules;
  const errors: ErrorCode[] = [];
  if (query !== undefined) errors.push("unknown_param");
  if (query !== undefined && query.length > 0) errors.push("invalid_param");
  if (body !== undefined) errors.push("invalid_json", "unknown_param", "invalid_param");
  if (body?.kind === "form") errors.push("request_too_large");
  if (wallet !== undefined) errors.push("credit_balance_exhausted");
  if (wallet === "charged" || isFree(rules)) errors.push("rate_limited");
  if (calls === "provider") {
    errors.push("model_not_found", "upstream_rejected", "no_provider_available");
  }
  if (idempotencyKey === "replays") {
    errors.push("idempotency_key_reused", "idempotency_key_in_use");
  }
  return errors;
}
