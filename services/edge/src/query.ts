import type { IncomingMessage } from "node:http";
import { invalidParam, unknownParam } from "@tollgate/core/errors";

/** Raises `unknown_param` for a query parameter on a route that takes none. */
export function refuseQuery(req: IncomingMessage): void {
  readQuery(req, []);
}

/**
 * The query parameters that a route takes. Raises `unknown_param` for any other, and
 * `invalid_param` for one that comes twice.
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
 * The alias that the query of a route names as its `model`, the only parameter. Raises
 * `unknown_param` and `invalid_param`, the latter also where none is named.
 */
export function readModelQuery(req: IncomingMessage): string {
  const { model = "" } = readQuery(req, ["model"]);
  if (model === "") throw invalidParam("model", "is required");
  return model;
}

/** The query alone: what stands in front of it may be no URL. */
export function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark));
}
