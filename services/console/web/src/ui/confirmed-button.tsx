import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { useChange } from "../calls/use-change.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { CallForm } from "./form.tsx";
import { useOpen } from "./use-open.ts";

interface Props<I extends DescMessage, O extends DescMessage> {
  method: DescMethodUnary<I, O>;
  request: MessageInitShape<I>;
  /** What is done, such as "Revoke", and to what. */
  verb: string;
  name: string;
  /** What follows from it. */
  description: string;
  /** The button of the dialog. */
  submit: string;
}

/** The button of a row for a call that cannot be undone. It asks first. */
export function ConfirmedButton<I extends DescMessage, O extends DescMessage>(props: Props<I, O>) {
  const { method, request, verb, name, description, submit } = props;
  const question = useOpen();
  const call = useChange(method, { onSuccess: question.close });
  return (
    <>
      <Button look="quiet" onClick={question.open} aria-label={`${verb} ${name}`}>
        {verb}
      </Button>
      <Dialog
        title={`${verb} ${name}?`}
        description={description}
        isOpen={question.isOpen}
        onClose={question.close}
      >
        <CallForm
          submit={submit}
          look="danger"
          isBusy={call.isPending}
          error={call.error}
          onSubmit={() => call.mutate(request)}
          onCancel={question.close}
        />
      </Dialog>
    </>
  );
}
