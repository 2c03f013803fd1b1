import { countOf } from "../../format/numbers.ts";
import { Icon } from "../../ui/icons.tsx";
import { SearchLink } from "../../ui/search-link.tsx";
import type { DraftProblem } from "./draft/problems.ts";
import type { DraftEditing } from "./use-draft.ts";

/** What is wrong with the draft, each with a way to its line, and what the check warns of. */
export function Problems({ draft }: { draft: DraftEditing }) {
  const { problems, warnings } = draft;
  return (
    <div role="status" className="problems">
      {problems.map((problem) => (
        <Problem
          key={`${problem.path.join()} ${problem.message}`}
          problem={problem}
          draft={draft}
        />
      ))}
      {problems.length === 0 && warnings.length > 0 && (
        <details className="warnings">
          <summary>{countOf(warnings.length, "warning")}</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

interface ProblemProps {
  problem: DraftProblem;
  draft: DraftEditing;
}

function Problem({ problem: { path, message, line }, draft }: ProblemProps) {
  return (
    <p className="form-error problem">
      <Icon name="alert" />
      <span>
        {path.length > 0 && <strong>{placeOf(path, draft)}</strong>} {message}
      </span>
      {line !== undefined && (
        <SearchLink change={{ tab: "yaml", line: String(line) }} className="button quiet">
          Line {line}
        </SearchLink>
      )}
    </p>
  );
}

/** Returns a path for people. A model is called by its alias. */
function placeOf([root, key, ...rest]: DraftProblem["path"], { document }: DraftEditing): string {
  const alias = root === "models" && document.models[Number(key)]?.alias;
  const start = typeof alias === "string" ? [alias] : [root, ...(key === undefined ? [] : [key])];
  return [...start, ...rest].join(" › ");
}
