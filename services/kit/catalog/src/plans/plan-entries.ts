import { StartError } from "@tollgate/core/errors";
import { describeIssue } from "@tollgate/core/schema-errors";
import { catalogPath, toCatalogError } from "../catalog-errors.ts";
import { CatalogProblems } from "../catalog-problems.ts";
import { checkChain } from "../chain-checks.ts";
import type { Model, PricePlan, Pricing } from "../model.ts";
import { toPricing } from "../price-entries.ts";
import { isByToken, type PricingEntry, pricingSchemas } from "../price-schema.ts";
import type { CatalogFile, ModelEntry } from "../schema.ts";
import { createPlan } from "./plan.ts";
import type { PlanEntry } from "./plan-schema.ts";

/** Returns the plans of a file. Throws a CatalogError with an error of each that is not valid. */
export function plansOf(
  file: CatalogFile,
  models: ReadonlyMap<string, Model>,
): ReadonlyMap<string, PricePlan> {
  const entries = new Map(file.models.map((entry) => [entry.alias, entry]));
  const plans = new Map<string, PricePlan>();
  const problems = new CatalogProblems();
  for (const [name, entry] of Object.entries(file.plans)) {
    const plan = problems.attempt(() => planOf(name, entry, entries, models));
    if (plan !== undefined) plans.set(name, plan);
  }
  problems.throwAny();
  return plans;
}

function planOf(
  name: string,
  { factor, models: own }: PlanEntry,
  entries: ReadonlyMap<string, ModelEntry>,
  models: ReadonlyMap<string, Model>,
): PricePlan {
  const pricingOf = new Map<string, Pricing>();
  const problems = new CatalogProblems();
  for (const [alias, value] of Object.entries(own)) {
    const pricing = problems.attempt(() => {
      const [entry, model] = [entries.get(alias), models.get(alias)];
      const path = ["plans", name, "models", alias];
      if (entry !== undefined && model !== undefined) {
        return pricingOfEntry(value, entry, model, path);
      }
      const problem = "must be the alias of a model, and there is none";
      throw new StartError(`${catalogPath(path, undefined)}: ${problem}`);
    });
    if (pricing !== undefined) pricingOf.set(alias, pricing);
  }
  problems.throwAny();
  const [whole = "0", decimals = ""] = factor.split(".");
  const factorMillionths = BigInt(whole + decimals.padEnd(6, "0"));
  const plan = createPlan(name, { factorMillionths, pricingOf });
  for (const alias of pricingOf.keys()) {
    const [entry, model] = [entries.get(alias), models.get(alias)];
    if (entry === undefined || model === undefined) continue;
    const path = catalogPath(["plans", name, "models", alias], undefined);
    problems.attempt(() => checkChain(entry, plan.modelOf(model).chain, path));
  }
  problems.throwAny();
  return plan;
}

function pricingOfEntry(
  value: unknown,
  entry: ModelEntry,
  { unitType }: Model,
  path: readonly string[],
): Pricing {
  if (entry.route_type === "images" && entry.sizes !== undefined && !Array.isArray(entry.sizes)) {
    const problem = "must not be set, since the sizes have prices: use factor";
    throw new StartError(`${catalogPath(path, undefined)}: ${problem}`);
  }
  const parsed = pricingSchemas[entry.route_type].safeParse(value, { error: describeIssue });
  if (parsed.error !== undefined) {
    const file = path.reduceRight((within: unknown, name) => ({ [name]: within }), value);
    const issues = parsed.error.issues.map((issue) => ({
      ...issue,
      path: [...path, ...issue.path],
    }));
    throw toCatalogError(issues, file);
  }
  const pricing = parsed.data as PricingEntry;
  if (entry.route_type === "transcriptions" && isByToken(pricing) !== isByToken(entry.pricing)) {
    const unit = isByToken(entry.pricing) ? "tokens" : "seconds";
    throw new StartError(
      `${catalogPath(path, undefined)}: must be by ${unit}, as the prices of the model are`,
    );
  }
  return toPricing(pricing, unitType);
}
