import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** Returns an id with a button that copies it; nothing where there is none. */
export function withCopy(id: string, what: string): ReactNode {
  if (id === "") return undefined;
  return (
    <>
      <code className="id">{id}</code> <CopyButton text={id} what={what} />
    </>
  );
}
