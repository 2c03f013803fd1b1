import { type ComponentProps, type ReactNode, type Ref, useId } from "react";
import { errorMessageOf } from "../calls/query-client.ts";
import { Button } from "./button.tsx";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value. */
  problem?: string | undefined;
}

/** A line of text with its label. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem === undefined ? undefined : true}
      />
      <FieldNote id={`${id}-hint`} hint={hint} problem={problem} />
    </div>
  );
}

interface LinesFieldProps extends ComponentProps<"textarea"> {
  label: string;
}

/** Several lines of text with their label. */
export function LinesField({ label, ...area }: LinesFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea {...area} id={id} />
    </div>
  );
}

/** What is wrong with the value of a field, or else its hint. */
function FieldNote(props: { id: string; hint: ReactNode; problem: string | undefined }) {
  const { id, hint, problem } = props;
  if (!hint && problem === undefined) return null;
  return (
    <p className={problem === undefined ? "hint" : "hint bad"} id={id}>
      {problem ?? hint}
    </p>
  );
}

interface ChoiceProps extends ComponentProps<"select"> {
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: ReactNode;
  problem?: string | undefined;
}

/** A choice of one value with its label. */
export function Choice({ label, options, hint, problem, ...select }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem === undefined ? undefined : true}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <FieldNote id={`${id}-hint`} hint={hint} problem={problem} />
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
  /** Gets the form, for what reads its values before they are submitted. */
  formRef?: Ref<HTMLFormElement>;
  children?: ReactNode;
}

/** A form with its buttons, and the error of the call that it made. */
export function CallForm(props: FormProps) {
  const { submit, isBusy, error, look, onSubmit, onCancel, formRef, children } = props;
  return (
    <form
      className="form"
      {...(formRef !== undefined && { ref: formRef })}
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
