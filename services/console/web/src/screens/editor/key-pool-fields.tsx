import { Button } from "../../ui/button.tsx";
import type { PoolKey } from "./draft/pool-keys.ts";

interface Props {
  keys: readonly PoolKey[];
  /** The names of the stored keys. */
  stored: readonly string[];
  onChange: (keys: readonly PoolKey[]) => void;
  problemOf: (key: number) => string | undefined;
}

/** The keys of a provider, which share its requests by their weights. */
export function KeyPoolFields({ keys, stored, onChange, problemOf }: Props) {
  const set = (index: number, change: Partial<PoolKey>) =>
    onChange(keys.map((key, at) => (at === index ? { ...key, ...change } : key)));
  return (
    <fieldset className="chain">
      <legend>Keys, which share requests by their weights</legend>
      {keys.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two keys may have one name until it is changed
        <div key={index} className="pool-key">
          <select
            aria-label={`Kind of key ${index + 1}`}
            value={key.field}
            onChange={(event) =>
              set(index, { field: event.target.value as PoolKey["field"], name: "" })
            }
          >
            <option value="secret">Stored key</option>
            <option value="env">Variable</option>
          </select>
          <input
            aria-label={`Name of key ${index + 1}`}
            required
            spellCheck={false}
            autoComplete="off"
            list={key.field === "secret" ? "stored-keys" : undefined}
            value={key.name}
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <input
            aria-label={`Weight of key ${index + 1}`}
            type="number"
            min={1}
            max={1_000}
            placeholder="1"
            value={key.weight}
            onChange={(event) => set(index, { weight: event.target.value })}
          />
          <Button
            look="quiet"
            icon="close"
            onClick={() => onChange(keys.toSpliced(index, 1))}
            disabled={keys.length === 1}
            aria-label={`Remove key ${index + 1}`}
          />
          {problemOf(index) && <p className="hint bad wide">{problemOf(index)}</p>}
        </div>
      ))}
      <datalist id="stored-keys">
        {stored.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button
        look="quiet"
        icon="plus"
        onClick={() => onChange([...keys, { field: "secret", name: "", weight: "" }])}
      >
        Add a key
      </Button>
    </fieldset>
  );
}
