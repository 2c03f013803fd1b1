import { useEffect } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { Loading } from "../../ui/states.tsx";
import { ChooseModels } from "./choose-models.tsx";
import { type DraftEntry, withModel } from "./draft/document.ts";
import { ListingProblem } from "./listing-problem.tsx";
import type { DraftEditing } from "./use-draft.ts";
import { type TriedProvider, useProviderModels } from "./use-provider-models.ts";

interface Props {
  draft: DraftEditing;
  name: string;
  entry: DraftEntry;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds models of a provider that the draft has. */
export function AddModels({ draft, name, entry, isOpen, onClose }: Props) {
  const provider = { name, entry, apiKey: draft.typedKeys.get(name) ?? "" };
  return (
    <Dialog
      title={`Models of ${name}`}
      description="Tick the models that clients may use. Prices are what clients pay, in USD per million tokens."
      isOpen={isOpen}
      isWide
      onClose={onClose}
    >
      <List draft={draft} provider={provider} onClose={onClose} />
    </Dialog>
  );
}

function List(props: { draft: DraftEditing; provider: TriedProvider; onClose: () => void }) {
  const { draft, provider, onClose } = props;
  const listing = useProviderModels();
  const { list, data, isPending, isIdle } = listing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each listing calls the provider
  useEffect(() => list(provider), []);
  if (isPending || isIdle) return <Loading rows={6} />;
  return (
    <>
      <ListingProblem listing={listing} />
      <ChooseModels
        provider={provider}
        models={data?.models ?? []}
        draft={draft}
        submit={(count) => (count === 0 ? "Add models" : `Add ${count}`)}
        isBusy={false}
        error={undefined}
        onSubmit={(entries) => {
          draft.change(entries.reduce(withModel, draft.text));
          onClose();
        }}
      />
    </>
  );
}
