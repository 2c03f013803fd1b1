import type { IncomingMessage } from "node:http";
import { invalidParam, unknownParam } from "@tollgate/core/errors";

/** Throws `unknown_param` if the request has a query parameter that is not in `names`. */
export function rejectUnknownQuery(req: IncomingMessage, names: readonly string[] = []): void {
  if (req.url?.includes("?") !== true) return;
  for (const name of queryOf(req).keys()) {
    if (!names.includes(name)) throw unknownParam(name);
  }
}

/**
 * Returns the query parameters of a request. Throws `unknown_param` for one that is not in `names`,
 * and `invalid_param` for one that is repeated.
 */
export function readQuery<const Name extends string>(
  req: IncomingMessage,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const values: Partial<Record<string, string>> = {};
  for (const [name, value] of queryOf(req)) {
    if (!names.some((known) => known === name)) throw unknownParam(name);
    if (Object.hasOwn(values, name)) throw invalidParam(name, "must come once");
    values[name] = value;
  }
  return values;
}

/**
 * Returns the alias in the query's `model`, its only parameter. Throws `unknown_param`, and
 * `invalid_param` if `model` is missing, empty or repeated.
 */
export function readModelQuery(req: IncomingMessage): string {
  const { model = "" } = readQuery(req, ["model"]);
  if (model === "") throw invalidParam("model", "is required");
  return model;
}

/** Returns the query of a request. Only the query is parsed: the path need not be a valid URL. */
export function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark));
}
