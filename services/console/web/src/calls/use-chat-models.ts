import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { isAllowed } from "./allowed-models.ts";

/**
 * Reads the aliases of the public chat models that the keys of an account may call. `account` is empty for
 * a customer's own.
 */
export function useChatModels(account: string, enabled = true) {
  const prices = useQuery(OperatorService.method.listPrices, { account }, { enabled });
  const own = useQuery(OperatorService.method.getAccount, { account }, { enabled });
  const globs = own.data?.account?.account?.keyBounds?.models ?? [];
  const data =
    own.data &&
    prices.data?.models
      .filter(({ routeType, alias }) => routeType === "chat" && isAllowed(alias, globs))
      .map(({ alias }) => alias);
  const error = prices.error ?? own.error;
  const refetch = () => Promise.all([prices.refetch(), own.refetch()]);
  return { data, error, refetch };
}
