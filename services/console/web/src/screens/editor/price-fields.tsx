import { Choice, Field, type FieldReader } from "../../ui/form.tsx";
import { type DraftEntry, toEntry } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { routeForms } from "./draft/route-fields.ts";

interface Props {
  routeType: string;
  pricing: unknown;
  problemOf: (name: string) => string | undefined;
}

const units = [
  ["1000000", "1,000,000"],
  ["1000", "1,000"],
  ["1", "1"],
] as const;

/** The prices that clients pay for a model, in USD. */
export function PriceFields({ routeType, pricing, problemOf }: Props) {
  const route = routeForms[routeType];
  const present = toEntry(pricing);
  const names = pricesOf(routeType, present);
  const known = new Set([...names, "per"]);
  return (
    <fieldset className="prices">
      <legend>Prices, in USD</legend>
      {names.map((name) => (
        <Field
          key={name}
          label={name.replaceAll("_", " ")}
          name={`price-${name}`}
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
        name="price-per"
        options={units}
        defaultValue={fieldText(present.per) || (route?.hasDefaultPer ? "1000000" : "1")}
        problem={problemOf("per")}
      />
      {Object.keys(present).some((name) => !known.has(name)) && (
        <p className="hint wide">
          Further prices, such as those of long prompts, stay as they are.
        </p>
      )}
    </fieldset>
  );
}

/** Returns the prices of a form. Those that have no field stay. */
export function readPrices(values: FieldReader, routeType: string, pricing: unknown): DraftEntry {
  const present = toEntry(pricing);
  const per = Number(values("price-per"));
  const isDefault = routeForms[routeType]?.hasDefaultPer === true && per === 1_000_000;
  const prices = pricesOf(routeType, present).map((name) => [name, values(`price-${name}`)]);
  const { per: _per, ...others } = present;
  const set = { ...others, ...Object.fromEntries(prices) };
  return {
    ...(isDefault && present.per === undefined ? {} : { per }),
    ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== "")),
  };
}

/** A transcription is priced by its tokens where it has such prices already. */
function pricesOf(routeType: string, present: DraftEntry): readonly string[] {
  if (routeType === "transcriptions" && "input" in present) {
    return ["input", "audio_input", "output"];
  }
  return routeForms[routeType]?.prices ?? [];
}
