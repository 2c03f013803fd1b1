import { Field } from "./form.tsx";

/** The present password, which a session that a sign-in link began does not need. */
export function PresentPasswordField() {
  return (
    <Field
      label="Present password"
      name="present"
      type="password"
      autoComplete="current-password"
      hint="Not needed if you have just signed in by a link."
    />
  );
}
