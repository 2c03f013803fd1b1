import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { Section } from "../../ui/screen.tsx";
import { useOpen } from "../../ui/use-open.ts";

/** How the end users of an account are stored, and the dialog that changes it. */
export function EndUsersSection({ account }: { account: string }) {
  const { canSeeContent } = useAccess();
  const { data } = useQuery(OperatorService.method.getAccount, { account });
  const edit = useOpen();
  const update = useChange(OperatorService.method.updateEndUsers, { onSuccess: edit.close });
  const stored = data?.account?.account;
  if (stored === undefined) return null;
  const { keepsEndUsers, id } = stored;
  const title = keepsEndUsers ? "Store hashes of end users" : "Store end users as named";
  return (
    <Section
      title="End users"
      actions={canSeeContent && <Button onClick={edit.open}>{title}</Button>}
    >
      <p>
        The end user that a chat request names is stored{" "}
        {keepsEndUsers ? "as the client names it." : "by a hash."}
      </p>
      <Dialog
        key={edit.key}
        title={title}
        description="It applies to requests from now on. What is stored stays: one end user may then be listed twice."
        isOpen={edit.isOpen}
        onClose={edit.close}
      >
        <CallForm
          submit={title}
          isBusy={update.isPending}
          error={update.error}
          onSubmit={() => update.mutate({ account: id, keepsEndUsers: !keepsEndUsers })}
          onCancel={edit.close}
        >
          {null}
        </CallForm>
      </Dialog>
    </Section>
  );
}
