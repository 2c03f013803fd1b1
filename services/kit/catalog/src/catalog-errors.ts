import { StartError } from "@tollgate/core/errors";
import { valueAt } from "@tollgate/core/schema-errors";
import type { z } from "zod";

/** Returns the error of an issue in a catalog file, which begins with its path. */
export function toStartError(issue: z.core.$ZodIssue, file: unknown): StartError {
  if (issue.code === "unrecognized_keys") {
    const path = [...issue.path, issue.keys[0] ?? ""];
    return new StartError(`${catalogPath(path, file)}: is not a field of the catalog`);
  }
  const value = valueAt(file, issue.path);
  const path = catalogPath(issue.path, file);
  if (value === undefined && issue.code !== "custom") return new StartError(`${path}: is required`);
  return new StartError(`${path}: ${issue.message}${value === null ? ", and is empty" : ""}`);
}

/** Returns a path as text. The entry of a model has its alias after it: `models[2] (acme-large).pricing`. */
export function catalogPath(path: readonly PropertyKey[], file: unknown): string {
  let text = "";
  for (const [depth, part] of path.entries()) {
    text += typeof part === "number" ? `[${part}]` : `.${String(part)}`;
    const alias = valueAt(file, [...path.slice(0, depth + 1), "alias"]);
    if (depth === 1 && path[0] === "models" && typeof alias === "string") text += ` (${alias})`;
  }
  return text.replace(/^\./, "") || "the file";
}
