import { useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

const shownMs = 1_600;

/** Copies a text, such as an id, and says that it did. `what` is its name for people. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button
      type="button"
      className="copy"
      onClick={copy}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
    >
      <Icon name={isCopied ? "check" : "copy"} size={14} />
      <span className="unseen" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </button>
  );
}
