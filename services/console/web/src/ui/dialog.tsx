import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";

interface Props {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  /** For a list or a text beside the fields. */
  isWide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A dialog over the page. Escape and the button close it. Its overlay is our own: the one of Radix
 * adds a style element, which the content security policy forbids.
 */
export function Dialog({ title, description, isOpen, isWide, onClose, children }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className="overlay" data-overlay="">
          <Radix.Content
            className={isWide ? "dialog wide" : "dialog"}
            onInteractOutside={(event) => event.preventDefault()}
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
