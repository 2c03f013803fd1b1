import { GatewayError, isClassified } from "../errors.ts";
import type { Span } from "./tracer.ts";

/**
 * Tells on a span that its work raised an error. A server that refuses a request has not failed.
 */
export function tellFailure(span: Span, error: unknown): void {
  const type = errorType(error);
  const refused = error instanceof GatewayError && error.status < 500;
  if (span.kind === "server" && refused) span.set({ "error.type": type });
  else span.fail(type);
}

/** Our code for an error, or a provider's status: never its message. */
function errorType(error: unknown): string {
  if (isClassified(error)) return error.errorType;
  return error instanceof Error ? error.name : "unknown";
}
