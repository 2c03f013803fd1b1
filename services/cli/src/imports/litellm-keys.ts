import { toAlias } from "../catalog/suggestion.ts";
import { type CatalogDraft, presentMembers } from "./catalog-draft.ts";
import { shiftPoint } from "./decimal.ts";
import type { ImportedKey } from "./key-command.ts";
import type { LiteLlmKey } from "./litellm-config.ts";

/** Periods of budgets that begin anew, by LiteLLM's durations. */
const periods: Readonly<Record<string, string>> = {
  "1d": "day",
  "24h": "day",
  "7d": "week",
  "1w": "week",
  "30d": "month",
  "1mo": "month",
};

const carried = new Set(
  `key_alias team_alias team_id user_id models max_budget budget_duration rpm_limit tpm_limit
  max_parallel_requests expires blocked token key_name spend created_at updated_at created_by`.split(
    /\s+/,
  ),
);

/** Translates keys. Their teams become accounts; without one, their users, or the account `litellm`. */
export function importKeys(keys: readonly LiteLlmKey[], draft: CatalogDraft): ImportedKey[] {
  return keys.flatMap((key, index) => {
    const name = key.key_alias ?? `key-${index + 1}`;
    if (key.blocked === true) {
      draft.note(`key ${name}: is blocked, and left out`);
      return [];
    }
    const others = Object.entries(key).filter(([member, value]) => {
      const isEmpty = value === null || JSON.stringify(value) === "{}" || value === false;
      return !carried.has(member) && !isEmpty && JSON.stringify(value) !== "[]";
    });
    if (others.length > 0)
      draft.note(`key ${name}: ${others.map(([member]) => member).join(", ")}`);
    return [
      {
        account: key.team_alias ?? key.team_id ?? key.user_id ?? "litellm",
        name,
        ...presentMembers({
          budget: budgetOf(key, name, draft),
          rpm: key.rpm_limit ?? undefined,
          tpm: key.tpm_limit ?? undefined,
          parallel: key.max_parallel_requests ?? undefined,
          expires: key.expires ?? undefined,
          models: modelsOf(key, name, draft),
        }),
      },
    ];
  });
}

function budgetOf(
  { max_budget: budget, budget_duration: duration }: LiteLlmKey,
  name: string,
  draft: CatalogDraft,
): string | undefined {
  if (budget === null || budget === undefined) return undefined;
  const period = duration === null || duration === undefined ? "total" : periods[duration];
  if (period === undefined) draft.note(`key ${name}: its budget of ${duration} is one of a month`);
  return `${shiftPoint(budget, 0)}/${period ?? "month"}`;
}

function modelsOf({ models }: LiteLlmKey, name: string, draft: CatalogDraft): string[] | undefined {
  const named = (models ?? []).filter((model) => !model.startsWith("all-"));
  if (named.length !== (models ?? []).length) draft.note(`key ${name}: takes all models`);
  return named.length === 0
    ? undefined
    : named.map((model) => (model.includes("*") ? model : toAlias(model)));
}
