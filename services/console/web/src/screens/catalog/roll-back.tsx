import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { useSearchChange } from "../../ui/search-link.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { PublicationProblem } from "./publication-problem.tsx";
import "./catalog.css";

interface Props {
  revision: bigint;
  /** The newest revision, as it is shown. */
  newest: bigint;
}

/** Publishes the text of an earlier revision again. */
export function RollBack({ revision, newest }: Props) {
  const dialog = useOpen();
  return (
    <>
      <Button look="quiet" onClick={dialog.open} aria-label={`Roll back to revision ${revision}`}>
        Roll back
      </Button>
      <RollBackDialog
        key={dialog.key}
        {...{ revision, newest, isOpen: dialog.isOpen, onClose: dialog.close }}
      />
    </>
  );
}

function RollBackDialog(props: Props & { isOpen: boolean; onClose: () => void }) {
  const { revision, newest, isOpen, onClose } = props;
  const change = useSearchChange();
  const [without, setWithout] = useState<readonly string[]>([]);
  const rollBack = useChange(OperatorService.method.rollBackCatalog, {
    onSuccess: ({ publication }) => {
      if (publication?.result.case !== "published") return;
      onClose();
      change({ revision: String(publication.result.value.revision?.revision ?? 0n) });
    },
  });
  return (
    <Dialog
      title={`Roll back to revision ${revision}?`}
      description={`Its text is published again, as revision ${newest + 1n}. What was changed since is undone.`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Roll back"
        isBusy={rollBack.isPending}
        error={rollBack.error}
        onSubmit={(values) =>
          rollBack.mutate({
            ...{ revision, baseRevision: newest, reason: values("reason") },
            without: [...without],
          })
        }
        onCancel={onClose}
      >
        <PublicationProblem
          result={rollBack.data?.publication?.result}
          without={without}
          onWithout={setWithout}
        />
        <Field label="Reason" name="reason" maxLength={500} autoComplete="off" />
      </CallForm>
    </Dialog>
  );
}
