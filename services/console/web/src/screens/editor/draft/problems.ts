import type { DraftDocument, DraftPath } from "./document.ts";

/** What is wrong with a draft, and where. */
export interface DraftProblem {
  message: string;
  /** Where it is in the value of the text. Empty: not in one place. */
  path: DraftPath;
  /** From 1. */
  line?: number | undefined;
}

const roots = ["providers", "models", "plans", "limits"];

/**
 * Reads an error of the check, such as `models[2] (acme-large).pricing.input: must be …` or
 * `plans.gold.models["acme-1.5"].input: must be …`.
 */
export function readProblem(error: string): Pick<DraftProblem, "message" | "path"> {
  const end = error.indexOf(": ");
  const text = error.slice(0, end).replace(/^(models\[\d+\]) \([^)]*\)/, "$1");
  const path = [...text.matchAll(/\[(\d+|"(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(
    ([part, bracketed]): string | number =>
      bracketed === undefined ? part : JSON.parse(bracketed),
  );
  if (end < 0 || !roots.includes(String(path[0]))) return { message: error, path: [] };
  return { message: error.slice(end + 2), path };
}

/** Returns the problems of a draft: its text's, or else those of the check. */
export function problemsOf(
  { broken, lineOf }: DraftDocument,
  errors: readonly string[],
): DraftProblem[] {
  if (broken !== undefined) return broken.map((problem) => ({ ...problem, path: [] }));
  return errors.map((error) => {
    const problem = readProblem(error);
    return { ...problem, line: lineOf(problem.path) };
  });
}

/** Returns the problems at a path or below it. */
export function problemsAt(problems: readonly DraftProblem[], path: DraftPath): DraftProblem[] {
  return problems.filter((one) => path.every((part, index) => one.path[index] === part));
}

/** Returns the first of them. */
export function problemAt(
  problems: readonly DraftProblem[],
  path: DraftPath,
): DraftProblem | undefined {
  return problemsAt(problems, path)[0];
}
