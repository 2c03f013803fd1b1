import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { Icon } from "./icons.tsx";
import { isComboboxOpen } from "./use-combobox.ts";

interface Props {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  /** For a list or a text beside the fields. */
  isWide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

const fields = "input:not([type=hidden]):not(:disabled), select:not(:disabled), textarea";

/**
 * A dialog over the page. Escape and the button close it. It begins at its first field, and leads back
 * to the button or the menu that opened it. Its overlay is our own: the one of Radix
 * adds a style element, which the content security policy forbids.
 */
export function Dialog({ title, description, isOpen, isWide, onClose, children }: Props) {
  const [opening, setOpening] = useState<{ isOpen: boolean; opener?: HTMLElement }>({
    isOpen: false,
  });
  // While it is drawn for the first time, the menu that opened it is still there.
  if (isOpen !== opening.isOpen)
    setOpening(isOpen ? openedBy(document.activeElement) : { ...opening, isOpen });
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className="overlay" data-overlay="">
          <Radix.Content
            className={isWide ? "dialog wide" : "dialog"}
            onInteractOutside={(event) => event.preventDefault()}
            onEscapeKeyDown={(event) => isComboboxOpen() && event.preventDefault()}
            onOpenAutoFocus={(event) => {
              const content = event.currentTarget as HTMLElement;
              const first =
                content.querySelector<HTMLElement>(fields) ??
                content.querySelector<HTMLElement>(".form-buttons button");
              if (first === null) return;
              event.preventDefault();
              first.focus();
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              const { opener } = opening;
              (opener?.isConnected ? opener : document.getElementById("main"))?.focus();
            }}
            {...(description === undefined && { "aria-describedby": undefined })}
          >
            <div className="dialog-head">
              <Radix.Title asChild>
                <h2>{title}</h2>
              </Radix.Title>
              <Radix.Close className="copy" aria-label="Close">
                <Icon name="close" />
              </Radix.Close>
            </div>
            {description && (
              <Radix.Description asChild>
                <div className="quiet">{description}</div>
              </Radix.Description>
            )}
            {children}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Returns the control that opens a dialog: of an item of a menu, the button of the menu. */
function openedBy(focused: Element | null): { isOpen: true; opener?: HTMLElement } {
  const menu = focused?.closest("[role=menu]");
  const opener = menu
    ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "")
    : focused;
  if (!(opener instanceof HTMLElement) || opener === document.body) return { isOpen: true };
  return { isOpen: true, opener };
}
