import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { DropdownMenu } from "radix-ui";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useOpen } from "../../ui/use-open.ts";

/** Freezes an account, revokes all of its keys, or closes it. Each is confirmed. */
export function AccountMenu({ account: { id: account, name, frozenAt } }: { account: Account }) {
  const [freeze, revoke, close] = [useOpen(), useOpen(), useOpen()];
  const update = useChange(OperatorService.method.updateAccount, { onSuccess: freeze.close });
  const revokeKeys = useChange(OperatorService.method.revokeAccountKeys, {
    onSuccess: revoke.close,
  });
  const closeAccount = useChange(OperatorService.method.closeAccount, { onSuccess: close.close });
  const isFrozen = frozenAt !== undefined;
  const steps = [
    {
      ...{ opening: freeze, call: update, text: isFrozen ? "Unfreeze" : "Freeze" },
      note: isFrozen
        ? "Its keys work again."
        : "Every new request with its keys is refused. Those in progress run to their end.",
      run: () => update.mutate({ account, isFrozen: !isFrozen }),
    },
    {
      ...{ opening: revoke, call: revokeKeys, text: "Revoke all keys" },
      note: "No key of the account works any more. This cannot be undone.",
      run: () => revokeKeys.mutate({ account }),
    },
    {
      ...{ opening: close, call: closeAccount, text: "Close account" },
      note: "Its keys are revoked, its members removed, and what is stored of its people is deleted. The wallet and the ledger stay. This cannot be undone.",
      run: () => closeAccount.mutate({ account }),
    },
  ];
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="copy" aria-label={`More actions for ${name}`}>
          <Icon name="more" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="popup" align="end" sideOffset={4}>
            {steps.map(({ opening, text }) => (
              <DropdownMenu.Item key={text} className="popup-item" onSelect={opening.open}>
                {text}…
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {steps.map(({ opening, call, text, note, run }) => (
        <Dialog
          key={text}
          title={`${text}: ${name}`}
          isOpen={opening.isOpen}
          onClose={opening.close}
        >
          <CallForm
            submit={text}
            look="danger"
            isBusy={call.isPending}
            error={call.error}
            onSubmit={run}
            onCancel={opening.close}
          >
            <p>{note}</p>
          </CallForm>
        </Dialog>
      ))}
    </>
  );
}
