import type { Principal } from "../auth/authenticate.ts";
import type { RequestContext } from "./request-context.ts";

/** Handles a request. An error that it throws is sent as the error envelope. */
export type Handler = (context: RequestContext) => Promise<void>;

/** Handles a request that was authenticated by a key, or had none. */
export type OptionalKeyHandler = (
  context: RequestContext,
  principal: Principal | undefined,
) => Promise<void>;

/** Handles a request that was authenticated by a key. */
export type KeyedHandler = (context: RequestContext, principal: Principal) => Promise<void>;
