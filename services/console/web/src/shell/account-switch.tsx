import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { useSession } from "../calls/use-session.ts";

/** Chooses the account that the page shows. Only a member of several has it. */
export function AccountSwitch() {
  const { memberships = [], accountId = "" } = useSession().data ?? {};
  const queries = useQueryClient();
  const navigate = useNavigate();
  const switching = useMutation(ConsoleService.method.switchAccount, {
    onSuccess: async () => {
      // A screen of the other account is left first.
      await navigate({ to: "/" });
      await queries.resetQueries();
    },
  });
  if (memberships.length < 2) return null;
  return (
    <select
      className="account-switch"
      aria-label="Account"
      value={accountId}
      disabled={switching.isPending}
      onChange={(event) => switching.mutate({ accountId: event.target.value })}
    >
      {memberships.map((one) => (
        <option key={one.accountId} value={one.accountId}>
          {one.accountName}
        </option>
      ))}
    </select>
  );
}
