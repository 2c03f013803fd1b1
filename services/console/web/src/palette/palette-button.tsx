import { lazy, Suspense, useEffect } from "react";
import { Icon } from "../ui/icons.tsx";
import { useOpen } from "../ui/use-open.ts";
import "./palette.css";

const load = () => import("./palette.tsx");
/** Loaded after the frame: it is no part of the first load. */
const Palette = lazy(async () => ({ default: (await load()).Palette }));

const shortcut = /^Mac|^iP/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** Opens the palette, as do ⌘K and Ctrl-K on every screen, unless another dialog is open. */
export function PaletteButton() {
  const palette = useOpen();
  useEffect(() => void load(), []);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const isShortcut = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (palette.isOpen) palette.close();
      else if (document.querySelector("[role=dialog]") === null) palette.open();
    }
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={palette.open}
      >
        <Icon name="search" />
        <span className="palette-name">Search</span> <kbd>{shortcut}</kbd>
      </button>
      {palette.key > 0 && (
        <Suspense>
          <Palette key={palette.key} isOpen={palette.isOpen} onClose={palette.close} />
        </Suspense>
      )}
    </>
  );
}
