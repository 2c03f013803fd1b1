import type { Member } from "@tollgate/proto/tollgate/v1/member";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { DropdownMenu } from "radix-ui";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { memberRoleNames } from "../../format/member-roles.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { memberRoles } from "./role-choice.tsx";

const keyChoices = [
  ["", "Stay, for the admins to manage"],
  ["revoke", "Are revoked now"],
] as const;

/** Changes the role of a member, or removes the member. */
export function MemberMenu({ account, member }: { account: string; member: Member }) {
  const failure = useOpen();
  const removal = useOpen();
  const { personId } = member;
  const update = useChange(OperatorService.method.updateMember, { onError: failure.open });
  const remove = useChange(OperatorService.method.removeMember, { onSuccess: removal.close });
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="copy" aria-label={`Actions for ${member.name}`}>
          <Icon name="more" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="popup" align="end" sideOffset={4}>
            {memberRoles
              .filter((role) => role !== member.role)
              .map((role) => (
                <DropdownMenu.Item
                  key={role}
                  className="popup-item"
                  onSelect={() => update.mutate({ account, personId, role })}
                >
                  Make {memberRoleNames[role].toLowerCase()}
                </DropdownMenu.Item>
              ))}
            <DropdownMenu.Item className="popup-item" onSelect={removal.open}>
              Remove…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Dialog title={`Remove ${member.name}`} isOpen={removal.isOpen} onClose={removal.close}>
        <CallForm
          submit="Remove"
          look="danger"
          isBusy={remove.isPending}
          error={remove.error}
          onSubmit={(values) => {
            const revokesKeys = values("keys") === "revoke";
            remove.mutate({ account, personId, revokesKeys });
          }}
          onCancel={removal.close}
        >
          <Choice label="Keys that the member created" name="keys" options={keyChoices} />
        </CallForm>
      </Dialog>
      <Dialog title="Nothing was changed" isOpen={failure.isOpen} onClose={failure.close}>
        <p className="form-error">{errorMessageOf(update.error)}</p>
      </Dialog>
    </>
  );
}
