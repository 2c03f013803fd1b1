import { useState } from "react";
import { type FieldReader, InputError } from "./form.tsx";

/**
 * Returns a handler of a form's submission, and the input error that it threw the last time. The
 * call that a form makes reports its errors by itself.
 */
export function useFormError(
  submit: (values: FieldReader) => void,
): [(values: FieldReader) => void, InputError | undefined] {
  const [problem, setProblem] = useState<InputError>();
  const onSubmit = (values: FieldReader) => {
    try {
      submit(values);
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      setProblem(error);
    }
  };
  return [onSubmit, problem];
}
