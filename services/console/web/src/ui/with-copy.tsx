import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** The button never stands alone on a line. */
const noBreak = "\u00a0";

/** Returns an id with a button that copies it; nothing where there is none. */
export function withCopy(id: string, what: string): ReactNode {
  if (id === "") return undefined;
  return (
    <>
      <code className="id">{id}</code>
      {noBreak}
      <CopyButton text={id} what={what} />
    </>
  );
}
