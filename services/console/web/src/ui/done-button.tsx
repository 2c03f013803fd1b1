import { Button } from "./button.tsx";

/** The only button of a dialog that shows a result, such as a secret. */
export function DoneButton({ onClick }: { onClick: () => void }) {
  return (
    <div className="form-buttons">
      <Button look="primary" onClick={onClick}>
        Done
      </Button>
    </div>
  );
}
