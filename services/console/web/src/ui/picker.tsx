import { type KeyboardEvent, useRef, useState } from "react";
import { errorMessageOf } from "../calls/query-client.ts";
import { useChosenName } from "../calls/use-chosen-name.ts";
import {
  type PickerKind,
  type PickerOption,
  usePickerOptions,
} from "../calls/use-picker-options.ts";
import { isSecretText, secretNotice } from "../search/key-text.ts";
import { Icon } from "./icons.tsx";
import { useCombobox } from "./use-combobox.ts";
import { useSettled } from "./use-settled.ts";
import "./picker.css";

export interface PickerProps {
  kind: PickerKind;
  /** For screen readers, unless a label names the field by `id`. */
  label: string;
  id?: string;
  /** An id or an alias. Empty: nothing is chosen. */
  value: string;
  onChoose: (value: string) => void;
  /** What the field shows where nothing is chosen. */
  placeholder: string;
  /** Whether nothing can be chosen again, by an option with the text of the placeholder. */
  canClear?: boolean;
  /** Only keys of this account are offered. */
  account?: string;
  required?: boolean;
}

/** Picks an account, a key or a model by a part of its name, which the server searches. */
export function Picker(props: PickerProps) {
  const { kind, label, value, placeholder, account = "" } = props;
  const [picked, setPicked] = useState<PickerOption>();
  const knownName = useChosenName(kind, value);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const wanted = (typed ?? "").trim();
  const isSecret = isSecretText(wanted);
  const search = isSecret ? "" : wanted;
  const settled = useSettled(search);
  const found = usePickerOptions(kind, { search: settled, account, isEnabled: isOpen });
  // Enter must not choose something else than what was typed.
  const options = isSecret ? [] : withOwn(props, found.options, settled);
  const isPending = found.isPending || search !== settled;
  const close = () => {
    setOpen(false);
    setTyped(undefined);
  };
  const combobox = useCombobox({
    ...{ count: options.length, search: settled, isOpen, isPending },
    onChoose: (index) => {
      const option = options[index];
      close();
      if (option === undefined || option.value === value) return;
      setPicked(option.value === "" ? undefined : option);
      props.onChoose(option.value);
    },
  });
  const open = () => {
    setOpen(true);
    field.current?.select();
  };
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape") close();
    else if (isOpen || !/^Arrow(Up|Down)$/.test(event.key)) combobox.onKeyDown(event);
    else {
      event.preventDefault();
      open();
    }
  }
  return (
    <span className="picker">
      <input
        {...combobox.input}
        ref={field}
        id={props.id}
        {...(props.id === undefined && { "aria-label": label })}
        title={value || undefined}
        placeholder={placeholder}
        required={props.required}
        value={typed ?? (picked?.value === value ? picked.text : knownName)}
        onChange={({ target }) => {
          setTyped(target.value);
          setOpen(true);
        }}
        onClick={() => isOpen || open()}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <Icon name="down" size={14} />
      {isOpen && (
        <Popup
          {...{ combobox, label, options, value }}
          status={isSecret ? secretNotice : statusOf(found.error, isPending, options.length)}
        />
      )}
    </span>
  );
}

function Popup(props: {
  combobox: ReturnType<typeof useCombobox>;
  label: string;
  options: readonly PickerOption[];
  value: string;
  status: string;
}) {
  const { combobox, label, options, status } = props;
  return (
    <div className="picker-popup">
      <ul {...combobox.list} aria-label={label}>
        {options.map(({ value, text, note }, index) => (
          <li key={value} {...combobox.option(index)}>
            <span className="cut">{text}</span>
            {note && <span className="quiet cut">{note}</span>}
            {value === props.value && <Icon name="check" size={14} />}
          </li>
        ))}
      </ul>
      <p className="quiet" role="status">
        {status}
      </p>
    </div>
  );
}

/** Adds the option of nothing, and of a model that is in the catalog no more. */
function withOwn(
  { kind, canClear, placeholder }: PickerProps,
  found: readonly PickerOption[],
  search: string,
): readonly PickerOption[] {
  if (search === "")
    return canClear ? [{ value: "", text: placeholder, note: "" }, ...found] : found;
  if (kind !== "model" || found.some(({ value }) => value === search)) return found;
  return [...found, { value: search, text: search, note: "as typed" }];
}

function statusOf(error: unknown, isPending: boolean, count: number): string {
  if (error) return errorMessageOf(error);
  if (isPending) return count === 0 ? "Searching…" : "";
  return count === 0 ? "Nothing matches" : "";
}
