import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { WarningRule } from "@tollgate/proto/tollgate/v1/warning";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field, type FieldReader, InputError } from "../../ui/form.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { type RuleField, readRules, ruleFields, ruleText, thresholdTexts } from "./rule-fields.ts";

/** The rules of warnings of an account, or of the gateway. */
export function RulesSection({ account }: { account: string }) {
  const settings = useQuery(OperatorService.method.getWarningSettings, { account });
  const { canChange, isCustomer } = useAccess();
  const edit = useOpen();
  const fields = ruleFields(account !== "" || isCustomer);
  return (
    <Section
      title="Rules"
      note="each warns once, until it was false again"
      actions={(canChange || isCustomer) && <Button onClick={edit.open}>Change rules</Button>}
    >
      <Loaded query={settings} rows={2}>
        {({ rules }) => (
          <>
            <RuleList rules={rules?.rules ?? []} />
            <EditRules
              key={edit.key}
              {...{ account, fields, isOpen: edit.isOpen, onClose: edit.close }}
              rules={rules?.rules ?? []}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function RuleList({ rules }: { rules: readonly WarningRule[] }) {
  if (rules.length === 0) return <p className="quiet">No rules: nothing is warned of.</p>;
  return (
    <ul>
      {rules.map((rule) => (
        <li key={ruleText(rule)}>{ruleText(rule)}</li>
      ))}
    </ul>
  );
}

interface EditProps {
  account: string;
  fields: readonly RuleField[];
  rules: readonly WarningRule[];
  isOpen: boolean;
  onClose: () => void;
}

function EditRules({ account, fields, rules, isOpen, onClose }: EditProps) {
  const update = useChange(OperatorService.method.updateWarningRules, { onSuccess: onClose });
  const [problem, setProblem] = useState<unknown>();
  const submit = (values: FieldReader) => {
    try {
      setProblem(undefined);
      update.mutate({ account, rules: { rules: readRules(fields, values) } });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Dialog title="Change rules" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Save rules"
        isBusy={update.isPending}
        error={problem ?? update.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        {fields.map((field) =>
          field.isSwitch ? (
            <label key={field.name} className="check">
              <input
                type="checkbox"
                name={field.name}
                defaultChecked={thresholdTexts(field, rules) !== ""}
              />
              {field.label}
            </label>
          ) : (
            <Field
              key={field.name}
              label={field.label}
              name={field.name}
              hint={field.hint}
              autoComplete="off"
              defaultValue={thresholdTexts(field, rules)}
            />
          ),
        )}
      </CallForm>
    </Dialog>
  );
}
