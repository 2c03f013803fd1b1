import { type GatewayError, invalidParam, unknownParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { describeIssue, valueAt } from "@tollgate/core/schema-errors";
import { z } from "zod";

/**
 * Validates a body against its route's schema. Throws the first error only, and unknown fields
 * before missing and invalid ones: `unknown_param` or `invalid_param`, with the path of the field
 * as `param`. The message is the path, followed by what the value must be.
 */
export function validate<S extends z.ZodObject>(schema: S, body: JsonObject) {
  rejectUnknownFields(schema, body, "");
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw toError(innermost(parsed.error.issues[0] as z.core.$ZodIssue, []), body);
}

/**
 * Returns a body without its optional fields that are null: null means the same as leaving the
 * field out. Throws `unknown_param` for a field that the schema does not have, before it copies what
 * may be a million of them.
 */
export function withoutNulls(schema: z.ZodObject, body: JsonObject): JsonObject {
  rejectUnknownFields(schema, body, "");
  const fields = { ...body };
  for (const [name, value] of Object.entries(body)) {
    if (value === null && schema.shape[name] instanceof z.ZodOptional) delete fields[name];
  }
  return fields;
}

/** Throws `unknown_param` for a field that the schema does not have, unless it is a loose one. */
export function rejectUnknownFields(schema: z.ZodObject, body: JsonObject, prefix: string): void {
  if (schema.def.catchall instanceof z.ZodUnknown) return;
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema.shape, name)) throw unknownParam(`${prefix}${name}`);
  }
}

interface Issue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
}

/**
 * Returns the issue to report. In a union, that is the one with the deepest path, or the one of a
 * branch that allows the value's type.
 */
function innermost(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): Issue {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") path.push(...issue.keys.slice(0, 1));
  if (issue.code === "invalid_union") {
    const first = issue.errors.flatMap((branch) => branch.slice(0, 1));
    const inner = first.map((branchIssue) => innermost(branchIssue, path));
    const deepest = inner.sort((left, right) => right.path.length - left.path.length)[0];
    if (deepest !== undefined && deepest.path.length > path.length) return deepest;
    const ofType = inner.find(({ code }) => !typeErrors.has(code));
    if (ofType !== undefined) return ofType;
  }
  return { code: issue.code, path, message: issue.message };
}

const typeErrors: ReadonlySet<string> = new Set(["invalid_type", "invalid_value", "invalid_union"]);

function toError({ code, path, message }: Issue, body: JsonObject): GatewayError {
  if (code === "unrecognized_keys") return unknownParam(formatPath(path));
  const value = valueAt(body, path) ?? null;
  const isMissing = code !== "custom" && typeof path.at(-1) === "string" && value === null;
  return invalidParam(formatPath(path), isMissing ? "is required" : message);
}

/** Formats a path as clients write it: `messages[2].content[0].type`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}
