import type { IncomingMessage } from "node:http";
import type { Auth } from "../auth/authenticate.ts";
import type { ErrorForm } from "../http/error-form.ts";
import type { JsonSchema } from "../openapi/json-schema.ts";

export interface QueryParameter {
  name: string;
  description: string;
  required?: true;
  schema: JsonSchema;
}

/** What a route does besides its own work. The OpenAPI document says it to clients. */
export interface RouteRules {
  /** The API key that it requires. */
  auth: Auth;
  /**
   * The query parameters that it takes. Others are refused: before the handler, or after the wallet
   * where that is checked. Undefined: the query is ignored.
   */
  query?: readonly QueryParameter[];
  /**
   * An empty wallet is refused, by the handler: its place is between the idempotency key and the body.
   * `charged`: the request also takes a hold, and counts against the limits of its key.
   */
  wallet?: "charged" | "checked";
  /** Whether an `Idempotency-Key` replays a stored response, or is accepted without effect. */
  idempotencyKey?: "replays" | "ignored";
  /**
   * On a route that calls no provider, a service that cannot be reached is an internal error. Default:
   * it calls none.
   */
  calls?: "provider";
  /** Its responses are numbers: nobody reads them, and they are not stored with the contents of requests. */
  isResponseData?: true;
  /** The form of its errors, where it is not the envelope. */
  errorForm?: ErrorForm;
  /** The form of its errors for clients of another API: see `ApiVariant`. */
  variantForm?: ErrorForm;
}

/** What a route with an optional key does otherwise for clients that send a header of another API. */
export interface ApiVariant {
  /** In small letters. */
  header: string;
  query: readonly QueryParameter[];
  errorForm: ErrorForm;
}

/** Returns whether a route calls a provider, and charges nothing for it: see `FreeCalls`. */
export function isFree({ calls, wallet }: Partial<RouteRules>): boolean {
  return calls === "provider" && wallet !== "charged";
}

/** The rules of a route that its handler applies, because their order depends on the request. */
export interface HandlerRules {
  /**
   * Throws `unknown_param` for a query parameter that the route does not take, and `invalid_param`
   * for one that is repeated.
   */
  checkQuery(req: IncomingMessage): void;
  /** Whether an idempotency key replays a stored response. */
  isReplayed: boolean;
  /** See `RouteRules.isResponseData`. */
  isResponseData: boolean;
}
