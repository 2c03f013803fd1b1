import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { errorMessageOf } from "../../calls/query-client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import { TestResult, useSlotTest } from "../models/test-slot.tsx";
import { type ChosenModel, modelEntryOf } from "./draft/model-entry.ts";
import { catalogOfProvider } from "./draft/tried-catalog.ts";
import type { TriedProvider } from "./use-provider-models.ts";

interface Props {
  provider: TriedProvider;
  model: ProviderModel;
  chosen: ChosenModel;
  /** The aliases of the draft. */
  taken: readonly string[];
  onChange: (chosen: ChosenModel) => void;
}

/** The alias and the prices of a model that is ticked, and a test of it. */
export function ChosenModelFields({ provider, model, chosen, taken, onChange }: Props) {
  const { alias, input, output } = chosen;
  const test = useSlotTest();
  const run = () => {
    const entry = modelEntryOf(provider.name, model, chosen);
    const text = catalogOfProvider(provider.name, provider.entry, [entry]);
    test.mutate({ test: { alias, unsaved: { text, apiKey: provider.apiKey } } });
  };
  return (
    <div className="chosen">
      <Field
        label="Alias, for clients"
        value={alias}
        required
        maxLength={128}
        spellCheck={false}
        problem={taken.includes(alias) ? "The draft has a model with this alias." : undefined}
        onChange={(event) => onChange({ ...chosen, alias: event.target.value })}
      />
      <PriceField
        label="Input"
        value={input}
        isRequired
        onChange={(next) => onChange({ ...chosen, input: next })}
      />
      <PriceField
        label="Output"
        value={output}
        hint="Empty: embeddings"
        onChange={(next) => onChange({ ...chosen, output: next })}
      />
      <Button
        onClick={run}
        disabled={test.isPending || alias === "" || input === ""}
        aria-label={`Test ${model.id}`}
      >
        {test.isPending ? "Testing…" : "Test"}
      </Button>
      <div role="status" className="chosen-result">
        {test.error && <p className="form-error">{errorMessageOf(test.error)}</p>}
        {!test.isPending && test.data?.result && <TestResult result={test.data.result} />}
      </div>
    </div>
  );
}

interface PriceProps {
  label: string;
  value: string;
  hint?: string;
  isRequired?: boolean;
  problem?: string | undefined;
  onChange: (value: string) => void;
}

/** A price in USD, with at most 12 decimals. */
export function PriceField({ label, value, hint, isRequired, problem, onChange }: PriceProps) {
  return (
    <Field
      label={label}
      value={value}
      inputMode="decimal"
      pattern="\d{1,9}(\.\d{1,12})?"
      title="USD, such as 0.15"
      required={isRequired === true}
      hint={hint}
      problem={problem}
      className="price"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
