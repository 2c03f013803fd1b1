import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { Catalog } from "@tollgate/catalog/model";
import { matchesGlob } from "@tollgate/catalog/model-policy";
import { invalidParam } from "@tollgate/core/errors";
import { type Budget, type Limits, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { type KeyBounds, KeyBoundsSchema } from "@tollgate/proto/tollgate/v1/operator";
import { type Account, Prisma } from "./generated/client.ts";

const maxPatterns = 100;
const maxKeysOfMembers = 100_000;

/** Returns what the keys that members create must keep within. */
export function keyBoundsOf(account: Account): KeyBounds {
  const { maxKeys, keyModels: models, keyLimits } = account;
  return create(KeyBoundsSchema, {
    models,
    ...(maxKeys !== null && { maxKeys }),
    ...(keyLimits !== null && { limits: fromStoredLimits(keyLimits) }),
  });
}

/** Returns bounds as the account's row has them. Throws `invalid_param` for what is not valid. */
export function storedKeyBounds({ maxKeys, limits, models }: KeyBounds) {
  if (models.length > maxPatterns || models.some((one) => one === "" || /\s/.test(one))) {
    throw invalidParam(
      "key_bounds.models",
      `must be at most ${maxPatterns} patterns without spaces`,
    );
  }
  if (maxKeys !== undefined && maxKeys > maxKeysOfMembers) {
    throw invalidParam("key_bounds.max_keys", "must be at most 100,000");
  }
  return { maxKeys: maxKeys ?? null, keyModels: models, keyLimits: toStoredLimits(limits) };
}

/** Returns limits as a column of JSON. */
export function toStoredLimits(limits: Limits | undefined) {
  if (limits === undefined) return Prisma.DbNull;
  return toJson(LimitsSchema, limits) as Prisma.InputJsonObject;
}

/** Returns the limits of a column of JSON. */
export function fromStoredLimits(stored: Prisma.JsonValue): Limits {
  return fromJson(LimitsSchema, stored as JsonValue);
}

/**
 * Returns limits with those of `highest` where they have none. Throws `invalid_param` for one that is
 * higher, or that belongs to another period.
 */
export function limitsWithin(limits: Limits | undefined, highest: Limits | undefined): Limits {
  const within = create(LimitsSchema, { ...limits });
  if (highest === undefined) return within;
  const { requestsPerMinute, tokensPerMinute, parallel, requestsPerMinutePerUser } = highest;
  within.requestsPerMinute ??= requestsPerMinute;
  within.requestsPerMinutePerUser ??= requestsPerMinutePerUser;
  within.tokensPerMinute ??= tokensPerMinute;
  within.parallel ??= parallel;
  within.budget ??= highest.budget;
  within.budgetPerUser ??= highest.budgetPerUser;
  requireAtMost("requests_per_minute", within.requestsPerMinute, requestsPerMinute);
  requireAtMost("tokens_per_minute", within.tokensPerMinute, tokensPerMinute);
  requireAtMost("parallel", within.parallel, parallel);
  requireAtMost(
    "requests_per_minute_per_user",
    within.requestsPerMinutePerUser,
    requestsPerMinutePerUser,
  );
  requireBudgetWithin("budget", within.budget, highest.budget);
  requireBudgetWithin("budget_per_user", within.budgetPerUser, highest.budgetPerUser);
  return within;
}

function requireAtMost<Amount extends number | bigint>(
  name: string,
  value: Amount | undefined,
  most: Amount | undefined,
): void {
  if (most === undefined || (value !== undefined && value <= most)) return;
  throw invalidParam(`limits.${name}`, `must be at most ${most}`);
}

function requireBudgetWithin(
  name: string,
  budget: Budget | undefined,
  most: Budget | undefined,
): void {
  if (most === undefined) return;
  const isSamePeriod = budget?.period === most.period;
  if (isSamePeriod && budget.amountNanoUsd <= most.amountNanoUsd) return;
  const problem = "must be at most the highest one that is allowed, and of the same period";
  throw invalidParam(`limits.${name}`, problem);
}

/**
 * Returns the models of a key that a member creates: those of the bounds where it names none. Throws
 * `invalid_param` for one that is not within the bounds. Without bounds, each alias must be public: a key
 * that names an unlisted model may call it, and who may is the operator's choice.
 */
export function modelsWithin(
  models: readonly string[],
  bounds: readonly string[],
  catalog: Catalog,
): string[] {
  if (models.length === 0) return [...bounds];
  for (const one of models) {
    if (isWithin(one, bounds, catalog)) continue;
    throw invalidParam("models", `must be models that the account may call: ${one} is not`);
  }
  return [...models];
}

function isWithin(model: string, bounds: readonly string[], catalog: Catalog): boolean {
  if (bounds.includes(model)) return true;
  if (model.includes("*")) return bounds.length === 0;
  if (!isPublic(model, catalog)) return false;
  return bounds.length === 0 || bounds.some((glob) => matchesGlob(glob, model));
}

function isPublic(alias: string, { models }: Catalog): boolean {
  return models.get(alias)?.visibility === "public";
}
