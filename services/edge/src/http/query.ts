import type { IncomingMessage } from "node:http";
import { invalidParam, unknownParam } from "@tollgate/core/errors";

/**
 * Throws `unknown_param` for a query parameter that is not in `names`, and `invalid_param` for one
 * that is repeated.
 */
export function rejectInvalidQuery(req: IncomingMessage, names: readonly string[] = []): void {
  if (req.url?.includes("?") !== true) return;
  const seen = new Set<string>();
  for (const name of queryOf(req).keys()) {
    if (!names.includes(name)) throw unknownParam(name);
    if (seen.has(name)) throw invalidParam(name, "must be sent once");
    seen.add(name);
  }
}

/** Returns the alias in the query's `model`. Throws `invalid_param` if it is missing or empty. */
export function readModelQuery(req: IncomingMessage): string {
  const model = queryOf(req).get("model") ?? "";
  if (model === "") throw invalidParam("model", "is required");
  return model;
}

/** Returns the query of a request. Only the query is parsed: the path need not be a valid URL. */
export function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark));
}
