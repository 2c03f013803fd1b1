import { useState } from "react";

/** Whether a dialog is open. Each time that it opens it begins anew, by `key`. */
export interface Opening {
  isOpen: boolean;
  key: number;
  open: () => void;
  close: () => void;
}

/** Returns the state of a dialog, closed at first. */
export function useOpen(): Opening {
  const [state, setState] = useState({ isOpen: false, key: 0 });
  return {
    ...state,
    open: () => setState(({ key }) => ({ isOpen: true, key: key + 1 })),
    close: () => setState(({ key }) => ({ isOpen: false, key })),
  };
}
