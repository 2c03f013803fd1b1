import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { formatCount } from "../../format/numbers.ts";

/** More than this are not counted. */
const most = 100_000;

/** How many conversations the keys of an account have stored. */
export function StoredConversations({ account }: { account: string }) {
  const { data } = useQuery(OperatorService.method.countAccountConversations, { account });
  if (data === undefined) return <span className="quiet">–</span>;
  const { conversations } = data;
  return conversations < most ? formatCount(conversations) : `${formatCount(most)} or more`;
}
