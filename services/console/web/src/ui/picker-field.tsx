import { useId, useState } from "react";
import type { PickerKind } from "../calls/use-picker-options.ts";
import { Picker } from "./picker.tsx";

/** Picks an account, a key or a model in a form, with its label. The form gets the id as `name`. */
export function PickerField(props: { kind: PickerKind; label: string; name: string }) {
  const id = useId();
  const [value, setValue] = useState("");
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <Picker
        {...{ id, kind: props.kind, label: props.label, value, onChoose: setValue }}
        placeholder="Search by name or id"
        required
      />
      <input type="hidden" name={props.name} value={value} />
    </div>
  );
}
