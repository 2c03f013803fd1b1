import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";

/** Returns what ends the session. The screen is left first: read again, it would find no session. */
export function useSignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation(ConsoleService.method.signOut, {
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queries.clear();
    },
  });
}
