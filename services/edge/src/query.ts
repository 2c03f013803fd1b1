import { GatewayError } from "@tollgate/kit/errors";
import type { Request } from "express";

/** Raises `unknown_param` for a query parameter on a route that takes none. */
export function refuseQuery(req: Request): void {
  const mark = req.url.indexOf("?");
  if (mark < 0) return;
  const [name] = new URLSearchParams(req.url.slice(mark)).keys();
  if (name === undefined) return;
  const param = name.slice(0, 200);
  throw new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}
