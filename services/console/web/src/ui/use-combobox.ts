import { type KeyboardEvent, useEffect, useId, useState } from "react";

interface Props {
  /** How many options the list has now. */
  count: number;
  /** What the list was searched by: with another text, the first option is the active one. */
  search: string;
  isOpen: boolean;
  /** Whether the list is still that of an earlier text. Enter then waits for the next one. */
  isPending: boolean;
  onChoose: (index: number) => void;
}

/**
 * Returns the attributes of a text field and its list of options by the combobox pattern of WAI-ARIA: the
 * focus stays in the field, the arrow keys move through the options, and Enter chooses one.
 */
export function useCombobox({ count, search, isOpen, isPending, onChoose }: Props) {
  const listId = useId();
  const [moved, setMoved] = useState({ search, index: 0 });
  const [isWaiting, setWaiting] = useState(false);
  const index = moved.search === search ? Math.min(moved.index, Math.max(count - 1, 0)) : 0;
  const idOf = (option: number) => `${listId}-${option}`;
  const move = (step: number) => {
    const next = (index + step + count) % Math.max(count, 1);
    setMoved({ search, index: next });
    document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
  };
  useEffect(() => {
    if (!isWaiting || isPending) return;
    setWaiting(false);
    if (count > 0) onChoose(0);
  });
  function onKeyDown(event: KeyboardEvent): void {
    setWaiting(false);
    if (!isOpen || event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key !== "Enter") return;
    else if (isPending) setWaiting(true);
    else if (count > 0) onChoose(index);
    event.preventDefault();
  }
  return {
    onKeyDown,
    input: {
      role: "combobox",
      "aria-expanded": isOpen,
      "aria-autocomplete": "list",
      autoComplete: "off",
      spellCheck: false,
      ...(isOpen && { "aria-controls": listId }),
      ...(isOpen && count > 0 && { "aria-activedescendant": idOf(index) }),
    },
    list: { id: listId, role: "listbox" },
    /** The pointer chooses without taking the focus out of the field. */
    option: (option: number) => ({
      id: idOf(option),
      role: "option",
      "aria-selected": option === index,
      onPointerDown: (event: { preventDefault(): void }) => event.preventDefault(),
      onPointerMove: () => option !== index && setMoved({ search, index: option }),
      onClick: () => onChoose(option),
    }),
  } as const;
}

/** Returns whether the focus is in a field whose list is open, which Escape closes first. */
export function isComboboxOpen(): boolean {
  const focused = document.activeElement;
  return focused?.role === "combobox" && focused.ariaExpanded === "true";
}
