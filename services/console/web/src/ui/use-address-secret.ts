import { useEffect, useRef } from "react";

/** Calls `onSecret` once with the secret that follows `#`, and takes it out of the address. */
export function useAddressSecret(onSecret: (secret: string) => void): void {
  const isRead = useRef(false);
  useEffect(() => {
    const secret = location.hash.slice(1);
    if (isRead.current || secret === "") return;
    isRead.current = true;
    history.replaceState(history.state, "", location.pathname + location.search);
    onSecret(secret);
  });
}
