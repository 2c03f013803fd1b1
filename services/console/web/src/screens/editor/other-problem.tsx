import type { DraftProblem } from "./draft/problems.ts";

interface Props {
  problems: readonly DraftProblem[];
  /** The fields of the form, which show their own problems. */
  shown: readonly string[];
}

/** Shows the first problem of an entry that no field of its form shows. */
export function OtherProblem({ problems, shown }: Props) {
  const other = problems.find(({ path }) => !shown.includes(String(path[2])));
  if (other === undefined) return null;
  const field = other.path.slice(2).join(" › ");
  return (
    <p className="form-error" role="alert">
      {field} {other.message}
    </p>
  );
}
