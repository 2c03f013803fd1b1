import { type ComponentProps, type ReactNode, useId } from "react";
import { errorMessageOf } from "../calls/query-client.ts";
import { Button } from "./button.tsx";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: ReactNode;
}

/** A line of text with its label. */
export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps extends ComponentProps<"select"> {
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: ReactNode;
}

/** A choice of one value with its label. */
export function Choice({ label, options, hint, ...select }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} aria-describedby={hint ? `${id}-hint` : undefined}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The values of a form, each trimmed; empty where it is missing. */
export type FieldReader = (name: string) => string;

interface FormProps {
  submit: string;
  isBusy: boolean;
  error: unknown;
  look?: "primary" | "danger";
  onSubmit: (values: FieldReader) => void;
  onCancel?: () => void;
  children?: ReactNode;
}

/** A form with its buttons, and the error of the call that it made. */
export function CallForm({ submit, isBusy, error, look, onSubmit, onCancel, children }: FormProps) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        onSubmit((name) => String(values.get(name) ?? "").trim());
      }}
    >
      {children}
      {error ? (
        <p className="form-error" role="alert">
          {error instanceof InputError ? error.message : errorMessageOf(error)}
        </p>
      ) : null}
      <div className="form-buttons">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" look={look ?? "primary"} disabled={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

/** A value that a person typed and that cannot be sent. The message names the field. */
export class InputError extends Error {}
