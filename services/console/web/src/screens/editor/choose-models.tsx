import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { type FormEvent, useState } from "react";
import { errorMessageOf } from "../../calls/query-client.ts";
import { countOf } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { ChosenModelFields } from "./chosen-model-fields.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { type ChosenModel, modelEntryOf, proposedModel } from "./draft/model-entry.ts";
import { freeName } from "./draft/vendors.ts";
import { FindModel, ModelRow } from "./model-choice.tsx";
import type { DraftEditing } from "./use-draft.ts";
import type { TriedProvider } from "./use-provider-models.ts";

interface Props {
  provider: TriedProvider;
  models: readonly ProviderModel[];
  draft: DraftEditing;
  /** Returns the text of the button; `count` is empty where no model is ticked. */
  submit: (count: string | 0) => string;
  isBusy: boolean;
  error: unknown;
  onSubmit: (models: readonly DraftEntry[]) => void;
  onBack?: () => void;
}

/** Lists the models of a provider. Those that are ticked get an alias and prices, and can be tested. */
export function ChooseModels(props: Props) {
  const { provider, models, draft, isBusy, error, onSubmit, onBack } = props;
  const [find, setFind] = useState("");
  const [others, setOthers] = useState<readonly ProviderModel[]>([]);
  const { chosen, set, tick } = useChosenModels(draft);
  const all = [...others, ...models];
  const shown = all.filter(({ id }) => id.toLowerCase().includes(find.trim().toLowerCase()));
  const addOther = (model: ProviderModel) => {
    setOthers([model, ...others]);
    setFind("");
    tick(model);
  };
  const entries = () =>
    all.flatMap((model) => {
      const one = chosen.get(model.id);
      return one === undefined ? [] : [modelEntryOf(provider.name, model, one)];
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(entries());
  };
  return (
    <form className="form" onSubmit={submit} autoComplete="off">
      <FindModel find={find} onFind={setFind} all={all} onOther={addOther} />
      <ul className="choice" aria-label="Models">
        {shown.map((model) => {
          const one = chosen.get(model.id);
          return (
            <li key={model.id}>
              <ModelRow
                model={model}
                isTicked={one !== undefined}
                onTick={(isTicked) => (isTicked ? tick(model) : set(model.id, undefined))}
              />
              {one && (
                <ChosenModelFields
                  provider={provider}
                  model={model}
                  chosen={one}
                  taken={aliasesOf(draft)}
                  onChange={(next) => set(model.id, next)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {error ? (
        <p className="form-error" role="alert">
          {errorMessageOf(error)}
        </p>
      ) : null}
      <div className="form-buttons">
        {onBack && <Button onClick={onBack}>Back</Button>}
        <Button type="submit" look="primary" disabled={isBusy}>
          {props.submit(chosen.size === 0 ? 0 : countOf(chosen.size, "model"))}
        </Button>
      </div>
    </form>
  );
}

/** Returns the models that are ticked, by their ids. */
function useChosenModels(draft: DraftEditing) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, ChosenModel>>(new Map());
  const set = (id: string, model: ChosenModel | undefined) => {
    const next = new Map(chosen);
    if (model === undefined) next.delete(id);
    else next.set(id, model);
    setChosen(next);
  };
  return {
    chosen,
    set,
    tick(model: ProviderModel) {
      const proposed = proposedModel(model);
      const taken = [...aliasesOf(draft), ...[...chosen.values()].map(({ alias }) => alias)];
      set(model.id, { ...proposed, alias: freeName(proposed.alias, taken) });
    },
  };
}

function aliasesOf({ document }: DraftEditing): string[] {
  return document.models.map(({ alias }) => String(alias));
}
