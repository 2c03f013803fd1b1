import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/** Closes a dialog that shows a result, such as a secret. Other buttons stand before it. */
export function DoneButton(props: { onClick: () => void; children?: ReactNode }) {
  const { onClick, children } = props;
  return (
    <div className="form-buttons">
      {children}
      <Button look="primary" onClick={onClick}>
        Done
      </Button>
    </div>
  );
}
