import { useEffect, useState } from "react";
import { useFindKey } from "../calls/use-find-key.ts";
import { isSecretText, keyTextIn, secretNotice } from "../search/key-text.ts";
import { useSearchChange } from "./search-link.tsx";

/** How long a person pauses before the list is searched. */
const pauseMs = 250;

interface Props {
  /** What is searched, for screen readers and as the placeholder. */
  label: string;
  q: string | undefined;
}

/**
 * Searches a list, on the server. The text is in the address, unless it is that of a key: then it is
 * removed from the page, and the key is shown.
 */
export function SearchBox({ label, q = "" }: Props) {
  const change = useSearchChange();
  const { find, problem } = useFindKey();
  const [text, setText] = useState(q);
  const wanted = text.trim();
  const isSecret = isSecretText(wanted);
  const hint = isSecret ? secretNotice : problem;
  useEffect(() => {
    if (wanted === q || isSecret) return;
    const timer = setTimeout(() => change({ q: wanted || undefined }), pauseMs);
    return () => clearTimeout(timer);
  });
  return (
    <>
      <input
        type="search"
        className="grow search"
        aria-label={label}
        placeholder={label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          const key = keyTextIn(target.value);
          setText(key === undefined ? target.value : "");
          if (key !== undefined) find(key);
        }}
      />
      {hint !== undefined && (
        <span className="hint bad" role="alert">
          {hint}
        </span>
      )}
    </>
  );
}
