import { create } from "@bufbuild/protobuf";
import { type ProviderModel, ProviderModelSchema } from "@tollgate/proto/tollgate/v1/slot_test";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { ListPriceText } from "../models/provider-models.tsx";

interface FindProps {
  find: string;
  onFind: (text: string) => void;
  all: readonly ProviderModel[];
  onOther: (model: ProviderModel) => void;
}

/** Finds models by their id. An id that the provider does not list can be added. */
export function FindModel({ find, onFind, all, onOther }: FindProps) {
  const id = find.trim();
  const isOther = id !== "" && !all.some((one) => one.id === id);
  return (
    <div className="choice-find">
      <input
        type="search"
        aria-label="Find a model"
        placeholder={all.length === 0 ? "The id of a model" : `Find among ${all.length} models`}
        value={find}
        onChange={(event) => onFind(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      {isOther && (
        <Button icon="plus" onClick={() => onOther(create(ProviderModelSchema, { id }))}>
          Add “{id}”
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  model: ProviderModel;
  isTicked: boolean;
  onTick: (isTicked: boolean) => void;
}

/** One model of a provider, with its list prices where they are known. */
export function ModelRow({ model, isTicked, onTick }: RowProps) {
  const { id, contextTokens, listPrices } = model;
  return (
    <label className="choice-row">
      <input
        type="checkbox"
        checked={isTicked}
        onChange={(event) => onTick(event.target.checked)}
      />
      <code>{id}</code>
      <span className="choice-prices quiet">
        {listPrices.length === 0 ? (
          "no list price"
        ) : (
          <>
            <span>
              in <ListPriceText model={model} of="input" />
            </span>
            {listPrices.some(({ dimension }) => dimension === "output") && (
              <span>
                out <ListPriceText model={model} of="output" />
              </span>
            )}
            {contextTokens !== undefined && <span>{formatCount(contextTokens)} tokens</span>}
          </>
        )}
      </span>
    </label>
  );
}
