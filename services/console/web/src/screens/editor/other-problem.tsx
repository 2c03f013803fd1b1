import type { DraftProblem } from "./draft/problems.ts";

interface Props {
  problems: readonly DraftProblem[];
  /** The fields of the form, which show their own problems. */
  shown: readonly string[];
}

/** Shows the problems of an entry that no field of its form shows. */
export function OtherProblem({ problems, shown }: Props) {
  const others = problems.filter(({ path }) => !shown.includes(String(path[2])));
  const texts = others.map(({ path, message }) => `${path.slice(2).join(" › ")} ${message}`);
  return [...new Set(texts)].map((text) => (
    <p key={text} className="form-error" role="alert">
      {text}
    </p>
  ));
}
