import type { IconName } from "../ui/icons.tsx";

/** A dialog that an action opens. */
export type PaletteDialog = "account" | "key";

/** One line of the palette. */
export interface PaletteItem {
  id: string;
  kind: "Account" | "Key" | "Model" | "Request" | "Screen" | "Action";
  icon: IconName;
  text: string;
  note: string;
  /** Leads to its screen, or acts. Returns the dialog that is opened in place of that. */
  choose: () => PaletteDialog | undefined;
}
