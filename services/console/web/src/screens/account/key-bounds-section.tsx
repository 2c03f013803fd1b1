import {
  type Account,
  type KeyBounds,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { formatMoney } from "../../format/money.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { EndUserLimitsFields, LimitsFields, readLimitFields } from "../../ui/limits-fields.tsx";
import { Section } from "../../ui/screen.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import { useOpen } from "../../ui/use-open.ts";

/** What the keys that members of an account create must keep within. */
export function KeyBoundsSection({ account }: { account: Account }) {
  const { canChange } = useAccess();
  const edit = useOpen();
  return (
    <Section
      title="Bounds of members' keys"
      note="for keys that members create and change"
      actions={canChange && <Button onClick={edit.open}>Change bounds</Button>}
    >
      <Facts facts={factsOf(account.keyBounds)} />
      <EditBounds key={edit.key} account={account} isOpen={edit.isOpen} onClose={edit.close} />
    </Section>
  );
}

function factsOf(bounds: KeyBounds | undefined) {
  const { maxKeys, limits, models = [] } = bounds ?? {};
  const { budget, requestsPerMinute, tokensPerMinute, parallel } = limits ?? {};
  const { budgetPerUser, requestsPerMinutePerUser } = limits ?? {};
  return [
    ["Keys", maxKeys === undefined ? "any number" : `at most ${maxKeys}`],
    ["Models", models.length === 0 ? "all that are public" : models.join(", ")],
    ["Highest budget", budget && formatMoney(budget.amountNanoUsd)],
    ["Highest requests a minute", requestsPerMinute],
    ["Highest tokens a minute", tokensPerMinute?.toString()],
    ["Most requests in progress", parallel],
    ["Highest budget per end user", budgetPerUser && formatMoney(budgetPerUser.amountNanoUsd)],
    ["Highest requests a minute per end user", requestsPerMinutePerUser],
  ] as const;
}

interface EditProps {
  account: Account;
  isOpen: boolean;
  onClose: () => void;
}

function EditBounds({ account: { id, keyBounds }, isOpen, onClose }: EditProps) {
  const update = useChange(OperatorService.method.updateAccount, { onSuccess: onClose });
  const [submit, problem] = useFormError((values) => {
    const maxKeys = values("max-keys");
    const limits = readLimitFields(values);
    const models = values("models")
      .split(/[\s,]+/)
      .filter(Boolean);
    update.mutate({
      account: id,
      keyBounds: {
        ...{ models, limits },
        ...(maxKeys !== "" && { maxKeys: Number(maxKeys) }),
      },
    });
  });
  return (
    <Dialog title="Change bounds" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Save bounds"
        isBusy={update.isPending}
        error={problem ?? update.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label="Keys at most"
          name="max-keys"
          inputMode="numeric"
          pattern="[0-9]+"
          placeholder="Any number"
          defaultValue={keyBounds?.maxKeys ?? ""}
        />
        <Field
          label="Models"
          name="models"
          autoComplete="off"
          placeholder="All that are public"
          hint="Aliases or globs, with commas between them."
          defaultValue={keyBounds?.models.join(", ") ?? ""}
        />
        <LimitsFields limits={keyBounds?.limits} />
        <EndUserLimitsFields limits={keyBounds?.limits} />
      </CallForm>
    </Dialog>
  );
}
