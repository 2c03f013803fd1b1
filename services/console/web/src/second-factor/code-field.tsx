import { useEffect, useRef } from "react";
import { Field } from "../ui/form.tsx";

/** Asks for a code of the second factor, by the name `code`. It takes the focus when it is first shown. */
export function CodeField({ hasRecovery = false }: { hasRecovery?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const digits = "Six digits that the app shows";
  return (
    <Field
      ref={field}
      label="Code"
      name="code"
      autoComplete="one-time-code"
      maxLength={40}
      hint={hasRecovery ? `${digits}, or a recovery code.` : `${digits}.`}
      required
    />
  );
}
