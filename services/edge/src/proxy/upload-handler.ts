import type { BalanceGuard } from "../auth/balance-guard.ts";
import { callerOf } from "../auth/caller.ts";
import type { KeyedHandler } from "../http/handler.ts";
import { attachContext, setHeaders } from "../http/request-context.ts";
import type { ServiceProxy } from "./service-proxy.ts";

/**
 * Returns the handler of a route whose body the service reads itself: the request is proxied after
 * the balance check.
 */
export function forwardUpload(balance: BalanceGuard, proxy: ServiceProxy): KeyedHandler {
  return async (context, principal) => {
    await balance.check(principal.accountId);
    const { req, res } = context;
    attachContext(context);
    setHeaders(context);
    proxy.web(req, res, callerOf(context, principal));
  };
}
