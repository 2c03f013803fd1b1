import { useMutation } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { SlotTestResult } from "@tollgate/proto/tollgate/v1/slot_test";
import { formatCount, formatQuantity } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Money } from "../../ui/money.tsx";
import { useOpen } from "../../ui/use-open.ts";

interface Props {
  alias: string;
  slotId: string;
  /** The catalog that has the slot, where it is not the one in use. */
  unsaved?: UnsavedText | undefined;
}

/** A catalog that is not published, and the key of its providers; empty: the one that it names. */
export interface UnsavedText {
  text: string;
  apiKey: string;
}

/** Calls a slot once, and shows the result. */
export function TestSlot({ alias, slotId, unsaved }: Props) {
  const dialog = useOpen();
  return (
    <>
      <Button look="quiet" onClick={dialog.open} aria-label={`Test ${slotId}`}>
        Test
      </Button>
      <TestDialog
        key={dialog.key}
        {...{ alias, slotId, unsaved, isOpen: dialog.isOpen, onClose: dialog.close }}
      />
    </>
  );
}

interface DialogProps extends Props {
  isOpen: boolean;
  onClose: () => void;
}

/** Returns a call that tests a slot. The page forgets what it was called with, which may have a key. */
export function useSlotTest() {
  return useMutation(OperatorService.method.testSlot, { gcTime: 0 });
}

function TestDialog({ alias, slotId, unsaved, isOpen, onClose }: DialogProps) {
  const test = useSlotTest();
  return (
    <Dialog
      title={`Test ${slotId}`}
      description="Makes one small call, which the provider bills and no account pays for."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit={test.data ? "Test again" : "Test"}
        isBusy={test.isPending}
        error={test.error}
        onSubmit={() => test.mutate({ test: { alias, slot: slotId, ...(unsaved && { unsaved }) } })}
        onCancel={onClose}
      >
        <div role="status" className="form">
          {test.isPending && <p className="quiet">The provider is called…</p>}
          {!test.isPending && test.data?.result && <TestResult result={test.data.result} />}
        </div>
      </CallForm>
    </Dialog>
  );
}

/** Shows what a test has found. */
export function TestResult({ result }: { result: SlotTestResult }) {
  const { isServed, status, error, firstByteMs, totalMs, usage, costNanoUsd } = result;
  if (!isServed) {
    return (
      <p className="form-error">
        <ProviderErrorText status={status} error={error} />
      </p>
    );
  }
  const used = usage.filter(({ quantity }) => quantity > 0n);
  return (
    <>
      <p className="notice good">
        <Icon name="check" />
        It serves: first byte after {formatCount(BigInt(firstByteMs ?? totalMs))} ms,{" "}
        {formatCount(BigInt(totalMs))} ms in all.
      </p>
      <p>
        {used.map(({ dimension, quantity }) => formatQuantity(quantity, dimension)).join(", ")}
        {": a client would pay "}
        <Money nano={costNanoUsd} />.
      </p>
    </>
  );
}

/** What a provider said in a refusal, after its status. */
export function ProviderErrorText({ status, error }: { status: number; error: string }) {
  return (
    <>
      {status === 0 ? "" : `${status}: `}
      {error}
    </>
  );
}
