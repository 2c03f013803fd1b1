import { Button } from "../../ui/button.tsx";
import type { ChainSlot } from "./draft/model-chain.ts";
import { SlotSettingsFields } from "./slot-settings-fields.tsx";

interface Props {
  slots: readonly ChainSlot[];
  /** The names of the providers of the draft. */
  providers: readonly string[];
  onChange: (slots: readonly ChainSlot[]) => void;
  routeType: string;
  /** For how many units the prices of a new cost are. Undefined: a million, which is not written. */
  per: number | undefined;
  problemOf: (slot: number, ...fields: string[]) => string | undefined;
}

/** The slots of a model, in the order in which they are tried. */
export function ChainFields(props: Props) {
  const { slots, providers, routeType, per, onChange, problemOf } = props;
  const set = (index: number, change: Partial<ChainSlot>) =>
    onChange(slots.map((slot, at) => (at === index ? { ...slot, ...change } : slot)));
  const moveUp = (index: number) => {
    const moved = slots[index];
    if (moved === undefined) return;
    onChange(slots.toSpliced(index, 1).toSpliced(index - 1, 0, moved));
  };
  return (
    <fieldset className="chain">
      <legend>Slots, in the order in which they are tried</legend>
      {slots.map((slot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a chain may have a slot twice
        <div key={index} className="chain-slot">
          <select
            aria-label={`Provider of slot ${index + 1}`}
            value={slot.provider}
            onChange={(event) => set(index, { provider: event.target.value })}
          >
            {[...new Set([...providers, slot.provider])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            aria-label={`Model of slot ${index + 1}`}
            placeholder="gpt-4o-mini"
            required
            spellCheck={false}
            value={slot.model}
            onChange={(event) => set(index, { model: event.target.value })}
          />
          <Button
            look="quiet"
            onClick={() => moveUp(index)}
            disabled={index === 0}
            aria-label={`Up: slot ${index + 1}`}
          >
            Up
          </Button>
          <Button
            look="quiet"
            icon="close"
            onClick={() => onChange(slots.toSpliced(index, 1))}
            disabled={slots.length === 1}
            aria-label={`Remove slot ${index + 1}`}
          />
          {problemOf(index) && <p className="hint bad wide">{problemOf(index)}</p>}
          <SlotSettingsFields
            entry={slot.entry}
            slotNumber={index + 1}
            {...{ routeType, per }}
            onChange={(entry) => set(index, { entry })}
            problemOf={(...fields) => problemOf(index, ...fields)}
          />
        </div>
      ))}
      <Button
        look="quiet"
        icon="plus"
        onClick={() => onChange([...slots, { provider: providers[0] ?? "", model: "", entry: {} }])}
      >
        Add a slot
      </Button>
    </fieldset>
  );
}
