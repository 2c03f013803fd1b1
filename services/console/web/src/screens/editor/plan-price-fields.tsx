import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Choice, type FieldReader } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { type PlanPrice, pricedModelsOf } from "./draft/plan-prices.ts";
import { priceNamesOf } from "./draft/price-names.ts";
import type { DraftProblem } from "./draft/problems.ts";
import { PriceFields, readPrices } from "./price-fields.tsx";

interface Props {
  prices: readonly PlanPrice[];
  /** Those of the draft. */
  models: readonly DraftEntry[];
  /** Those of the plan. */
  problems: readonly DraftProblem[];
  onChange: (prices: readonly PlanPrice[]) => void;
}

/** The prices of single models in a plan, which replace those of the models. */
export function PlanPriceFields({ prices, models, problems, onChange }: Props) {
  const [chosen, setChosen] = useState("");
  const free = pricedModelsOf(models, prices);
  const added = free.find(({ alias }) => alias === chosen) ?? free[0];
  return (
    <>
      {prices.map((price, index) => (
        <PlanModel
          key={price.alias}
          price={price}
          routeType={routeTypeOf(models, price.alias)}
          problems={problems.filter(({ path }) => path[3] === price.alias)}
          onRemove={() => onChange(prices.toSpliced(index, 1))}
        />
      ))}
      {added !== undefined && (
        <div className="add-plan-price">
          <Choice
            label="Another model with prices of its own"
            options={free.map(({ alias }) => [alias, alias])}
            value={added.alias}
            onChange={({ target }) => setChosen(target.value)}
          />
          <Button icon="plus" onClick={() => onChange([...prices, added])}>
            Add
          </Button>
        </div>
      )}
    </>
  );
}

interface ModelProps {
  price: PlanPrice;
  routeType: string;
  problems: readonly DraftProblem[];
  onRemove: () => void;
}

function PlanModel({ price: { alias, pricing }, routeType, problems, onRemove }: ModelProps) {
  const shown = [...priceNamesOf(routeType, pricing), "per"];
  const others = problems.filter(({ path }) => !shown.includes(String(path[4])));
  return (
    <PriceFields
      {...{ routeType, pricing }}
      legend={`Prices of ${alias}, in USD`}
      scope={scopeOf(alias)}
      problemOf={(name) => problems.find(({ path }) => path[4] === name)?.message}
    >
      {others.map(({ path, message }) => (
        <p key={message} className="form-error wide" role="alert">
          {[...path.slice(4), message].join(" ")}
        </p>
      ))}
      <div className="wide">
        <Button look="quiet" onClick={onRemove} aria-label={`Remove the prices of ${alias}`}>
          Remove
        </Button>
      </div>
    </PriceFields>
  );
}

/** Returns the prices of single models as they are in the form. */
export function readPlanPrices(
  values: FieldReader,
  prices: readonly PlanPrice[],
  models: readonly DraftEntry[],
): PlanPrice[] {
  return prices.map(({ alias, pricing }) => ({
    alias,
    pricing: readPrices(values, routeTypeOf(models, alias), pricing, scopeOf(alias)),
  }));
}

function scopeOf(alias: string): string {
  return `${alias} `;
}

function routeTypeOf(models: readonly DraftEntry[], alias: string): string {
  return fieldText(models.find((model) => model.alias === alias)?.route_type);
}
