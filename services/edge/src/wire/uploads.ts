import { create } from "@bufbuild/protobuf";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { Authenticate } from "../auth.ts";
import { type Route, rememberExchange, setHeaders } from "../exchange.ts";
import type { BalanceGuard } from "../guard.ts";
import type { ServiceProxy } from "../proxy.ts";

/** A route whose body a service reads itself: it is proxied once its caller may spend. */
export function upload(
  { authenticate, guard }: { authenticate: Authenticate; guard: BalanceGuard },
  proxy: ServiceProxy,
): Route {
  return async (exchange) => {
    const { keyId, accountId } = await authenticate(exchange);
    await guard.check(accountId);
    const { req, res, requestId } = exchange;
    rememberExchange(exchange);
    setHeaders(exchange);
    proxy.web(req, res, create(CallerSchema, { requestId, keyId, accountId }));
  };
}
