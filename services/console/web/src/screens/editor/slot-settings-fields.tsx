import { Field } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { toEntry } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import {
  costNamesOf,
  hasSettings,
  slotNumbersOf,
  withCost,
  withValue,
} from "./draft/slot-settings.ts";

interface Props {
  entry: DraftEntry;
  /** As the labels name it: from 1. */
  slotNumber: number;
  routeType: string;
  /** For how many units the prices of a new cost are. Undefined: a million, which is not written. */
  per: number | undefined;
  onChange: (entry: DraftEntry) => void;
  problemOf: (...fields: string[]) => string | undefined;
}

/** The share of a slot, its limits, and what its provider charges. */
export function SlotSettingsFields(props: Props) {
  const { entry, slotNumber, routeType, per, onChange, problemOf } = props;
  const isOpen = hasSettings(entry);
  return (
    <details className="slot-settings wide" {...(isOpen && { open: true })}>
      <summary>{`Share, limits and cost of slot ${slotNumber}`}</summary>
      <div className="field-row">
        {slotNumbersOf(routeType).map(({ name, label, max }) => (
          <Field
            key={name}
            label={label}
            type="number"
            min={1}
            max={max}
            value={fieldText(entry[name])}
            problem={problemOf(name)}
            onChange={({ target: { value } }) =>
              onChange(withValue(entry, name, value === "" ? undefined : Number(value)))
            }
          />
        ))}
        {costNamesOf(routeType, entry.cost).map((name) => (
          <Field
            key={name}
            label={`Cost of ${name.replaceAll("_", " ")}, USD`}
            inputMode="decimal"
            pattern="\d{1,9}(\.\d{1,12})?"
            title="USD, such as 0.15"
            autoComplete="off"
            className="price"
            value={fieldText(toEntry(entry.cost)[name])}
            problem={problemOf("cost", name)}
            onChange={({ target: { value } }) =>
              onChange(withCost(entry, { name, price: value.trim(), per }))
            }
          />
        ))}
      </div>
      <p className="hint">
        Slots of one tier share requests by their weights. A slot that is full is passed over. The
        cost is what the provider charges, for as many units as the prices.
      </p>
    </details>
  );
}
