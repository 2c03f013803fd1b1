import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ChooseModels } from "./choose-models.tsx";
import { ConnectionForm } from "./connection-form.tsx";
import { type DraftEntry, withFields, withModel } from "./draft/document.ts";
import { freeName } from "./draft/vendors.ts";
import type { DraftEditing } from "./use-draft.ts";
import type { TriedProvider } from "./use-provider-models.ts";

interface Props {
  draft: DraftEditing;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds a provider in two steps: its address and key, which are tested, and then its models. */
export function AddProvider({ draft, isOpen, onClose }: Props) {
  const [entered, setEntered] = useState<TriedProvider>();
  const [models, setModels] = useState<readonly ProviderModel[]>();
  const add = useAddProvider(draft, onClose);
  const isChoosing = entered !== undefined && models !== undefined;
  return (
    <Dialog
      title={isChoosing ? `Models of ${entered.name}` : "Add a provider"}
      description={
        isChoosing
          ? "Tick the models that clients may use. Prices are what clients pay, in USD per million tokens."
          : "What you enter is tested before anything is stored. A key is encrypted, and never shown again."
      }
      isOpen={isOpen}
      isWide={isChoosing}
      onClose={onClose}
    >
      {isChoosing ? (
        <ChooseModels
          provider={entered}
          models={models}
          draft={draft}
          submit={(count) => (count === 0 ? "Add the provider" : `Add the provider and ${count}`)}
          isBusy={add.isPending}
          error={add.error}
          onSubmit={(entries) => add.run(entered, entries)}
          onBack={() => setModels(undefined)}
        />
      ) : (
        <ConnectionForm
          draft={draft}
          entered={entered}
          onEntered={(next, found) => {
            setEntered(next);
            setModels(found);
          }}
        />
      )}
    </Dialog>
  );
}

/** Returns a call that stores the key, and then adds the provider and its models to the draft. */
function useAddProvider(draft: DraftEditing, onAdded: () => void) {
  const store = useChange(OperatorService.method.setSecret, { gcTime: 0 });
  const secrets = useQuery(OperatorService.method.listSecrets, {});
  return {
    isPending: store.isPending,
    error: store.error,
    async run({ name, entry, apiKey }: TriedProvider, models: readonly DraftEntry[]) {
      const stored = secrets.data?.secrets.map((one) => one.name) ?? [];
      const secret = apiKey === "" ? undefined : freeName(name, stored);
      if (secret !== undefined) {
        const done = await store
          .mutateAsync({ name: secret, value: apiKey })
          .catch(() => undefined);
        if (done === undefined) return;
        draft.rememberKey(name, apiKey);
      }
      const path = ["providers", name];
      const provider = withFields(draft.text, path, { ...entry, ...(secret && { secret }) });
      draft.change(models.reduce(withModel, provider));
      onAdded();
    },
  };
}
