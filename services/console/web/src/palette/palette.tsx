import { Dialog as Radix } from "radix-ui";
import { useState } from "react";
import { useFindKey } from "../calls/use-find-key.ts";
import { CreateAccount } from "../screens/accounts/create-account.tsx";
import { isSecretText, keyTextIn, secretNotice } from "../search/key-text.ts";
import { CreateKey } from "../ui/create-key.tsx";
import { Icon } from "../ui/icons.tsx";
import { useCombobox } from "../ui/use-combobox.ts";
import { useSettled } from "../ui/use-settled.ts";
import type { PaletteDialog, PaletteItem } from "./palette-item.ts";
import { usePaletteItems } from "./use-palette-items.ts";

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

/**
 * Finds accounts, keys, models, requests, screens and actions by a text. Escape leads back to what had the
 * focus, and a choice to the screen that it opens.
 */
export function Palette({ isOpen, onClose }: Props) {
  const [opener] = useState(() => document.activeElement);
  const [isChosen, setChosen] = useState(false);
  const [dialog, setDialog] = useState<PaletteDialog>();
  const close = () => {
    setChosen(true);
    onClose();
  };
  const closeDialog = () => setDialog(undefined);
  return (
    <>
      <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
        <Radix.Portal>
          <div className="overlay" data-overlay="">
            <Radix.Content
              className="dialog palette"
              aria-describedby={undefined}
              onCloseAutoFocus={(event) => {
                event.preventDefault();
                const isBack = !isChosen && opener instanceof HTMLElement && opener.isConnected;
                (isBack ? opener : document.getElementById("main"))?.focus();
              }}
            >
              <Radix.Title className="unseen">Search</Radix.Title>
              <Finder onDone={close} onDialog={setDialog} />
            </Radix.Content>
          </div>
        </Radix.Portal>
      </Radix.Root>
      <CreateAccount isOpen={dialog === "account"} onClose={closeDialog} />
      <CreateKey account="" isOpen={dialog === "key"} onClose={closeDialog} />
    </>
  );
}

function Finder(props: { onDone: () => void; onDialog: (dialog: PaletteDialog) => void }) {
  const { onDone, onDialog } = props;
  const [text, setText] = useState("");
  const search = text.trim();
  const settled = useSettled(search);
  const found = useFindKey(onDone);
  const problem = isSecretText(search) ? secretNotice : found.problem;
  const { items, isPending: isSearching } = usePaletteItems(settled);
  const isPending = isSearching || settled !== search;
  const combobox = useCombobox({
    ...{ count: items.length, search: settled, isOpen: true, isPending },
    onChoose: (index) => {
      const dialog = items[index]?.choose();
      onDone();
      if (dialog !== undefined) onDialog(dialog);
    },
  });
  return (
    <>
      <div className="palette-field">
        <Icon name="search" />
        <input
          {...combobox.input}
          aria-label="Search"
          placeholder="Accounts, keys, models, any id of a request, screens…"
          value={text}
          onKeyDown={combobox.onKeyDown}
          onChange={({ target }) => {
            const key = keyTextIn(target.value);
            setText(key === undefined ? target.value : "");
            if (key !== undefined) found.find(key);
          }}
        />
      </div>
      <ul {...combobox.list} aria-label="Found">
        {items.map((item, index) => (
          <li key={item.id} {...combobox.option(index)}>
            <ItemText of={item} />
          </li>
        ))}
      </ul>
      <p className={problem === undefined ? "quiet" : "hint bad"} role="status">
        {problem ?? statusOf(isPending, items.length)}
      </p>
    </>
  );
}

function ItemText({ of: { icon, text, note, kind } }: { of: PaletteItem }) {
  return (
    <>
      <Icon name={icon} />
      <span className="cut">{text}</span>
      {note && <span className="quiet cut">{note}</span>}
      <span className="quiet palette-kind">{kind}</span>
    </>
  );
}

function statusOf(isPending: boolean, count: number): string {
  if (isPending) return "Searching…";
  return count === 0 ? "Nothing matches" : "";
}
