import type { ReactNode } from "react";
import { Choice, Field, type FieldReader } from "../../ui/form.tsx";
import { type DraftEntry, toEntry } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { hasFurtherPrices, priceLabel, priceNamesOf } from "./draft/price-names.ts";
import { routeForms } from "./draft/route-fields.ts";

interface Props {
  routeType: string;
  pricing: unknown;
  problemOf: (name: string) => string | undefined;
  /** What the prices are of. */
  legend?: string;
  /** Tells the fields from those of other prices in the form. */
  scope?: string;
  /** Below the fields. */
  children?: ReactNode;
}

const units = [
  ["1000000", "1,000,000"],
  ["1000", "1,000"],
  ["1", "1"],
] as const;

/** The prices that clients pay for a model, in USD. */
export function PriceFields(props: Props) {
  const { routeType, pricing, problemOf, legend, scope = "", children } = props;
  const route = routeForms[routeType];
  const present = toEntry(pricing);
  return (
    <fieldset className="prices">
      <legend>{legend ?? "Prices, in USD"}</legend>
      {priceNamesOf(routeType, present).map((name) => (
        <Field
          key={name}
          label={priceLabel(name)}
          name={`${scope}price-${name}`}
          inputMode="decimal"
          pattern="\d{1,9}(\.\d{1,12})?"
          title="USD, such as 0.15"
          required={route?.requiredPrices.includes(name) === true}
          defaultValue={fieldText(present[name])}
          problem={problemOf(name)}
          className="price"
          autoComplete="off"
        />
      ))}
      <Choice
        label="per"
        name={`${scope}price-per`}
        options={units}
        defaultValue={fieldText(present.per) || (route?.hasDefaultPer ? "1000000" : "1")}
        problem={problemOf("per")}
      />
      {hasFurtherPrices(present) && (
        <p className="hint wide">Prices of long prompts are in the YAML, and stay as they are.</p>
      )}
      {children}
    </fieldset>
  );
}

/** Returns the prices of a form. Those that have no field stay. */
export function readPrices(
  values: FieldReader,
  routeType: string,
  pricing: unknown,
  scope = "",
): DraftEntry {
  const present = toEntry(pricing);
  const per = Number(values(`${scope}price-per`));
  const isDefault = routeForms[routeType]?.hasDefaultPer === true && per === 1_000_000;
  const names = priceNamesOf(routeType, present);
  const prices = names.map((name) => [name, values(`${scope}price-${name}`)]);
  const { per: _per, ...others } = present;
  const set = { ...others, ...Object.fromEntries(prices) };
  return {
    ...(isDefault && present.per === undefined ? {} : { per }),
    ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== "")),
  };
}
