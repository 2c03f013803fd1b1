import type { ReactNode } from "react";

interface Props {
  title: string;
  /** The amount or the result of the step. */
  result?: ReactNode;
  note?: ReactNode;
  children?: ReactNode;
}

/** One step on the way from the hold to the ledger entry. */
export function TrailStep({ title, result, note, children }: Props) {
  return (
    <li className="step">
      <div className="step-head">
        <h2>{title}</h2>
        {note && <span className="quiet step-note">{note}</span>}
        {result !== undefined && <span className="step-result">{result}</span>}
      </div>
      {children}
    </li>
  );
}
