import { type CreateCodesResponse, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { countOf } from "../../format/numbers.ts";
import { saveFile } from "../../format/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DoneButton } from "../../ui/done-button.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { expiryOf } from "../../ui/key-fields.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { OnceNotice } from "../../ui/secret-text.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import "./codes.css";

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

/** Creates codes, and shows their texts once. */
export function CreateCodes({ isOpen, onClose }: Props) {
  const create = useChange(OperatorService.method.createCodes, { gcTime: 0 });
  const [submit, problem] = useFormError((values) => {
    const expiresAt = expiryOf(values("expires"));
    create.mutate({
      name: values("name"),
      creditNanoUsd: readAmount(values("credit"), "The credit"),
      count: Number(values("count")),
      ...(expiresAt && { expiresAt }),
    });
  });
  if (create.data) return <NewCodes created={create.data} {...{ isOpen, onClose }} />;
  return (
    <Dialog
      title="Create codes"
      description="Each adds its credit to the account that redeems it, once."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Create codes"
        isBusy={create.isPending}
        error={problem ?? create.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label="Credit of each in USD"
          name="credit"
          inputMode="decimal"
          placeholder="10.00"
          autoComplete="off"
          required
        />
        <Field
          label="How many"
          name="count"
          type="number"
          min={1}
          max={10_000}
          defaultValue={1}
          required
        />
        <Field label="Expires (UTC)" name="expires" type="datetime-local" required />
        <Field
          label="Name"
          name="name"
          maxLength={128}
          autoComplete="off"
          hint="Optional. What they are for, such as a campaign. An account redeems one of them."
        />
      </CallForm>
    </Dialog>
  );
}

function NewCodes({ created, isOpen, onClose }: Props & { created: CreateCodesResponse }) {
  const { codes, batch } = created;
  const text = `${codes.join("\n")}\n`;
  return (
    <Dialog title={`${countOf(codes.length, "code")} created`} isOpen={isOpen} onClose={onClose}>
      <div className="new-codes">
        <textarea
          readOnly
          className="mono"
          data-secret=""
          aria-label="Codes"
          rows={Math.min(codes.length, 10)}
          value={text.trimEnd()}
        />
        <CopyButton text={text} what="codes" />
      </div>
      <OnceNotice what="codes" />
      <DoneButton onClick={onClose}>
        <Button
          icon="download"
          onClick={() => saveFile(`codes-${batch?.id ?? ""}.txt`, "text/plain", text)}
        >
          Download
        </Button>
      </DoneButton>
    </Dialog>
  );
}
