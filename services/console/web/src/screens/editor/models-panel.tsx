import { countOf } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/screen.tsx";
import { SearchLink } from "../../ui/search-link.tsx";
import { Empty } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { TestSlot } from "../models/test-slot.tsx";
import { AddModels } from "./add-models.tsx";
import { type DraftEntry, without } from "./draft/document.ts";
import { type ChainSlot, fieldText, slotsOf } from "./draft/model-chain.ts";
import { pricesText } from "./draft/price-text.ts";
import { catalogOfSlot } from "./draft/tried-catalog.ts";
import { EditModel } from "./edit-model.tsx";
import { BrokenTextNotice, RowProblem } from "./providers-panel.tsx";
import type { DraftEditing } from "./use-draft.ts";

/** The models of the draft, with their prices and slots. */
export function ModelsPanel({ draft }: { draft: DraftEditing }) {
  const adding = useOpen();
  const { models, providers, broken } = draft.document;
  return (
    <Section
      title="Models"
      note={models.length > 0 && countOf(models.length, "model")}
      actions={
        <Button
          icon="plus"
          onClick={adding.open}
          disabled={broken !== undefined || providers.size === 0}
        >
          Add a model
        </Button>
      }
    >
      {broken && <BrokenTextNotice />}
      {!broken && models.length === 0 && <NoModels draft={draft} />}
      <ul className="draft-models">
        {models.map((model, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two models of a draft may have one alias
          <ModelCard key={index} draft={draft} model={model} index={index} />
        ))}
      </ul>
      <EditModel
        key={adding.key}
        draft={draft}
        index={undefined}
        model={{ route_type: "chat", chain: [] }}
        isOpen={adding.isOpen}
        onClose={adding.close}
      />
    </Section>
  );
}

/** Leads to the models of a provider, which are listed with their prices. */
function NoModels({ draft }: { draft: DraftEditing }) {
  const choosing = useOpen();
  const [[name, entry] = []] = draft.document.providers;
  if (name === undefined || entry === undefined) {
    return (
      <Empty icon="models" title="No models yet">
        <SearchLink change={{ tab: "providers", create: true }}>Add a provider</SearchLink> first:
        its models are listed for you.
      </Empty>
    );
  }
  return (
    <Empty icon="models" title="No models yet">
      The models of a provider are listed for you.
      <div>
        <Button look="primary" onClick={choosing.open}>
          Choose models of {name}
        </Button>
      </div>
      <AddModels
        key={choosing.key}
        {...{ draft, name, entry, isOpen: choosing.isOpen, onClose: choosing.close }}
      />
    </Empty>
  );
}

interface CardProps {
  draft: DraftEditing;
  model: DraftEntry;
  index: number;
}

function ModelCard({ draft, model, index }: CardProps) {
  const editing = useOpen();
  const alias = fieldText(model.alias);
  const { visibility = "public" } = model;
  return (
    <li className="draft-model">
      <div className="draft-model-head">
        <h3>{alias || "no alias"}</h3>
        <span className="quiet">{fieldText(model.route_type)}</span>
        {visibility !== "public" && <Badge>{fieldText(visibility)}</Badge>}
        <div className="row-actions">
          <Button look="quiet" onClick={editing.open} aria-label={`Edit ${alias}`}>
            Edit
          </Button>
          <Button
            look="quiet"
            onClick={() => draft.change(without(draft.text, ["models", index]))}
            aria-label={`Remove ${alias}`}
          >
            Remove
          </Button>
        </div>
      </div>
      <p className="quiet">{pricesText(model.pricing)}</p>
      <RowProblem draft={draft} path={["models", index]} />
      <ol className="draft-slots">
        {slotsOf(model).map((slot, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a chain may have a slot twice
          <SlotRow key={at} draft={draft} model={model} slot={slot} />
        ))}
      </ol>
      <EditModel
        key={editing.key}
        {...{ draft, model, index, isOpen: editing.isOpen, onClose: editing.close }}
      />
    </li>
  );
}

function SlotRow({
  draft,
  model,
  slot,
}: {
  draft: DraftEditing;
  model: DraftEntry;
  slot: ChainSlot;
}) {
  const id = `${slot.provider}/${slot.model}`;
  const provider = draft.document.providers.get(slot.provider);
  return (
    <li>
      <code className="id">{id}</code>
      {provider !== undefined && (
        <TestSlot
          alias={fieldText(model.alias)}
          slotId={id}
          unsaved={{
            text: catalogOfSlot(slot.provider, provider, model, slot.entry),
            apiKey: draft.typedKeys.get(slot.provider) ?? "",
          }}
        />
      )}
    </li>
  );
}
