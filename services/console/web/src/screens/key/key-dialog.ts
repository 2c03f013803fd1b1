import type { Key } from "@tollgate/proto/tollgate/v1/operator";

/** What the dialogs of a key are given. */
export interface KeyDialog {
  of: Key;
  isOpen: boolean;
  onClose: () => void;
}
