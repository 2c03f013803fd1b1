import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field, LinesField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";

interface Props {
  account: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Sets to whom the next statements of an account are issued. */
export function EditBillingProfile({ account, isOpen, onClose }: Props) {
  const { getBillingProfile, updateBillingProfile } = OperatorService.method;
  const saved = useQuery(getBillingProfile, { account }, { enabled: isOpen });
  const update = useChange(updateBillingProfile, { onSuccess: onClose });
  return (
    <Dialog
      title="Address on statements"
      description="Statements that are issued from now on have it. Earlier ones stay as they are."
      isOpen={isOpen}
      onClose={onClose}
    >
      <Loaded query={saved} rows={3}>
        {({ profile }) => (
          <CallForm
            submit="Save"
            isBusy={update.isPending}
            error={update.error}
            onSubmit={(values) =>
              update.mutate({
                account,
                profile: {
                  name: values("name"),
                  address: values("address"),
                  taxId: values("tax-id"),
                },
              })
            }
            onCancel={onClose}
          >
            <Field
              label="Name"
              name="name"
              autoComplete="organization"
              maxLength={200}
              defaultValue={profile?.name ?? ""}
              required
            />
            <LinesField
              label="Address"
              name="address"
              autoComplete="street-address"
              rows={4}
              maxLength={1_000}
              defaultValue={profile?.address ?? ""}
            />
            <Field
              label="Tax id"
              name="tax-id"
              autoComplete="off"
              maxLength={100}
              defaultValue={profile?.taxId ?? ""}
            />
          </CallForm>
        )}
      </Loaded>
    </Dialog>
  );
}
