import { useEffect, useEffectEvent } from "react";
import { useSearchChange } from "./search-link.tsx";
import { type Opening, useOpen } from "./use-open.ts";

/**
 * Returns the state of a dialog that creates one more of a list. An address with `create` opens it, too, and
 * closing takes that out of the address.
 */
export function useAskedOpen(isAsked: boolean): Opening {
  const opening = useOpen();
  const change = useSearchChange();
  const openAsked = useEffectEvent(opening.open);
  useEffect(() => {
    if (isAsked) openAsked();
  }, [isAsked]);
  return {
    ...opening,
    close: () => {
      opening.close();
      if (isAsked) change({ create: undefined });
    },
  };
}
