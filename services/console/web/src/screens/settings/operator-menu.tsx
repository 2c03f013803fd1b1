import { type Operator, OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { DropdownMenu } from "radix-ui";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { useSession } from "../../calls/use-session.ts";
import { roleNames } from "../../format/roles.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { NewLink } from "./new-link.tsx";

const roles = [OperatorRole.VIEWER, OperatorRole.OPERATOR, OperatorRole.OWNER];

/** What an owner can do with an operator. Nobody changes their own role here. */
export function OperatorMenu({ operator }: { operator: Operator }) {
  const self = useSession().data?.operator?.id;
  const failure = useOpen();
  const update = useChange(OperatorService.method.updateOperator, { onError: failure.open });
  const link = useChange(OperatorService.method.createSignInLink, { onError: failure.open });
  const removal = useChange(OperatorService.method.removeSecondFactor, { onError: failure.open });
  const { id: operatorId, disabledAt } = operator;
  const isOther = operatorId !== self;
  const isCustomer = operator.role === OperatorRole.CUSTOMER;
  const offered = isOther && !isCustomer ? roles.filter((role) => role !== operator.role) : [];
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="copy" aria-label={`Actions for ${operator.name}`}>
          <Icon name="more" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="popup" align="end" sideOffset={4}>
            {operator.issuer === "" && (
              <Item text="Create sign-in link" onSelect={() => link.mutate({ operatorId })} />
            )}
            {offered.map((role) => (
              <Item
                key={role}
                text={`Make ${roleNames[role].toLowerCase()}`}
                onSelect={() => update.mutate({ operatorId, role })}
              />
            ))}
            {isOther && operator.hasSecondFactor && (
              <Item text="Remove second factor" onSelect={() => removal.mutate({ operatorId })} />
            )}
            {isOther && (
              <Item
                text={disabledAt ? "Enable" : "Disable"}
                onSelect={() => update.mutate({ operatorId, isDisabled: !disabledAt })}
              />
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <NewLink link={link.data?.link} onClose={link.reset} />
      <Dialog title="Nothing was changed" isOpen={failure.isOpen} onClose={failure.close}>
        <p className="form-error">{errorMessageOf(update.error ?? link.error ?? removal.error)}</p>
      </Dialog>
    </>
  );
}

function Item({ text, onSelect }: { text: string; onSelect: () => void }) {
  return (
    <DropdownMenu.Item className="popup-item" onSelect={onSelect}>
      {text}
    </DropdownMenu.Item>
  );
}
