import type { IncomingMessage } from "node:http";
import { maskKeys } from "@tollgate/core/key-form";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { clientRequestIdOf } from "../http/client-request-id.ts";
import type { Principal } from "./authenticate.ts";

/** A request, as the record of it names it. */
interface NamedRequest {
  readonly requestId: string;
  readonly req: IncomingMessage;
  /** The path template of its route. */
  readonly route?: string | undefined;
}

const maxUserAgentCharacters = 200;

/**
 * Returns the caller of a request, which every service receives. `chargeId` identifies the charge of
 * a request with an idempotency key.
 */
export function callerOf(
  { requestId, req, route = "" }: NamedRequest,
  { keyId, accountId, admission, plan, models, isLimited }: Principal,
  chargeId = "",
): Caller {
  return {
    $typeName: "tollgate.v1.Caller",
    requestId,
    chargeId,
    keyId,
    accountId,
    admission,
    plan,
    models,
    isLimited,
    // The wire names it, where the request does.
    endUser: "",
    endpoint: `${req.method ?? ""} ${route}`,
    userAgent: maskKeys(req.headers["user-agent"] ?? "").slice(0, maxUserAgentCharacters),
    clientRequestId: clientRequestIdOf(req.headers),
  };
}
