import { valueAt } from "@tollgate/core/schema-errors";
import type { z } from "zod";
import { CatalogError } from "./catalog-problems.ts";

/** Returns the error of the issues in a catalog file. Each of its problems begins with its path. */
export function toCatalogError(issues: readonly z.core.$ZodIssue[], file: unknown) {
  return new CatalogError(issues.flatMap((issue) => problemsOf(issue, file)));
}

function problemsOf(issue: z.core.$ZodIssue, file: unknown): string[] {
  if (issue.code === "unrecognized_keys") {
    const paths = issue.keys.map((key) => catalogPath([...issue.path, key], file));
    return paths.map((path) => `${path}: is not a field of the catalog`);
  }
  const value = valueAt(file, issue.path);
  const path = catalogPath(issue.path, file);
  if (value === undefined && issue.code !== "custom") return [`${path}: is required`];
  return [`${path}: ${issue.message}${value === null ? ", and is empty" : ""}`];
}

/**
 * Returns a path as text. The entry of a model has its alias after it: `models[2] (acme-large).pricing`. A name
 * with a dot is in brackets: `plans.gold.models["acme-1.5"]`.
 */
export function catalogPath(path: readonly PropertyKey[], file: unknown): string {
  let text = "";
  for (const [depth, part] of path.entries()) {
    text += partText(part);
    const alias = valueAt(file, [...path.slice(0, depth + 1), "alias"]);
    if (depth === 1 && path[0] === "models" && typeof alias === "string") text += ` (${alias})`;
  }
  return text.replace(/^\./, "") || "the file";
}

function partText(part: PropertyKey): string {
  if (typeof part === "number") return `[${part}]`;
  const name = String(part);
  return /[.[\]]/.test(name) ? `[${JSON.stringify(name)}]` : `.${name}`;
}
