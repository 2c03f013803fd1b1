import { useEffect, useState } from "react";

/** How long a person pauses before a list is searched. */
const pauseMs = 200;

/** Returns a text once it has not changed for a moment, and until then the one before. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
