import { create } from "@bufbuild/protobuf";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { BalanceGuard } from "../auth/balance-guard.ts";
import type { KeyedHandler } from "../http/handler.ts";
import { attachContext, setHeaders } from "../http/request-context.ts";
import type { ServiceProxy } from "./service-proxy.ts";

/**
 * Returns the handler of a route whose body the service reads itself: the request is proxied after
 * the balance check.
 */
export function forwardUpload(balance: BalanceGuard, proxy: ServiceProxy): KeyedHandler {
  return async (context, { keyId, accountId, admission }) => {
    await balance.check(accountId);
    const { req, res, requestId } = context;
    attachContext(context);
    setHeaders(context);
    proxy.web(req, res, create(CallerSchema, { requestId, keyId, accountId, admission }));
  };
}
