import { Field } from "../../ui/form.tsx";

/** Asks a new person for a password, by the name `password`. */
export function NewPasswordField() {
  return (
    <Field
      label="Password"
      name="password"
      type="password"
      autoComplete="new-password"
      minLength={12}
      maxLength={1_024}
      hint="At least 12 characters."
      required
    />
  );
}
