import { useEffect, useEffectEvent } from "react";

/**
 * Calls `onSecret` with the secret that follows `#`, and takes it out of the address. A link that is opened
 * while the screen is shown changes the part after `#` alone, so it is read, too.
 */
export function useAddressSecret(onSecret: (secret: string) => void): void {
  const read = useEffectEvent(() => {
    const secret = location.hash.slice(1);
    if (secret === "") return;
    history.replaceState(history.state, "", location.pathname + location.search);
    onSecret(secret);
  });
  useEffect(() => {
    const listener = () => read();
    listener();
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
  }, []);
}
