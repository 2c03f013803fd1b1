import type { BalanceGuard } from "../auth/balance-guard.ts";
import { callerOf } from "../auth/caller.ts";
import type { Revocations } from "../auth/revocations.ts";
import { codingOf, noCoding, unknownCoding } from "../http/content-coding.ts";
import type { KeyedHandler } from "../http/handler.ts";
import { attachContext, setHeaders } from "../http/request-context.ts";
import type { ServiceProxy } from "./service-proxy.ts";

interface UploadDependencies {
  balance: BalanceGuard;
  revocations: Revocations;
}

/**
 * Returns the handler of a route whose body the service reads itself: the request is proxied after
 * the balance check. A body in a content coding is refused with 415. A stream of events ends when the key is
 * revoked or expires.
 */
export function forwardUpload(
  { balance, revocations }: UploadDependencies,
  proxy: ServiceProxy,
): KeyedHandler {
  return async (context, principal) => {
    await balance.check(principal.accountId);
    const { req, res } = context;
    // The service reads the form without decoding it.
    if (codingOf(req) !== noCoding) throw unknownCoding(codingOf(req), []);
    if (res.destroyed) return;
    attachContext(context);
    setHeaders(context);
    const unwatch = revocations.watch(principal.keyHash, context.end);
    res.once("close", unwatch);
    proxy.web(req, res, callerOf(context, principal), context.signal);
  };
}
