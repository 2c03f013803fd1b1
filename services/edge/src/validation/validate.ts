import { GatewayError, unknownParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { z } from "zod";

/**
 * Validates a body against its route's schema. Throws the first error only, and unknown fields
 * before missing and invalid ones: `unknown_param` or `invalid_param`, with the path of the field
 * as `param`.
 */
export function validate<S extends z.ZodObject>(schema: S, body: JsonObject) {
  rejectUnknownFields(schema, body, "");
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = innermost(parsed.error.issues[0] as z.core.$ZodIssue, []);
  throw toError(issue);
}

/**
 * Returns a body without its optional fields that are null: null means the same as leaving the
 * field out. Unsupported fields remain, to be rejected. Throws `unknown_param` for a field that the
 * schema does not have, before it copies what may be a million of them.
 */
export function withoutNulls(schema: z.ZodObject, body: JsonObject): JsonObject {
  rejectUnknownFields(schema, body, "");
  const fields = { ...body };
  for (const [name, value] of Object.entries(body)) {
    if (value === null && isOptional(schema.shape[name])) delete fields[name];
  }
  return fields;
}

/** Returns whether a field may be left out, and is supported. */
export function isOptional(field: unknown): boolean {
  return field instanceof z.ZodOptional && !(field.unwrap() instanceof z.ZodNever);
}

/** Throws `unknown_param` for a field that the schema does not have. */
export function rejectUnknownFields(schema: z.ZodObject, body: JsonObject, prefix: string): void {
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema.shape, name)) throw unknownParam(`${prefix}${name}`);
  }
}

interface Issue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
}

/** Returns the issue to report. In a union, that is the one with the deepest path. */
function innermost(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): Issue {
  const path = [...base, ...issue.path];
  if (issue.code === "invalid_union") {
    const first = issue.errors.flatMap((branch) => branch.slice(0, 1));
    const inner = first.map((branchIssue) => innermost(branchIssue, path));
    const deepest = inner.sort((left, right) => right.path.length - left.path.length)[0];
    if (deepest !== undefined && deepest.path.length > path.length) return deepest;
  }
  return { code: issue.code, path, message: issue.message };
}

function toError({ code, path, message }: Issue): GatewayError {
  const param = formatPath(path);
  if (code === "unrecognized_keys") {
    return new GatewayError("unknown_param", `${param} is not a parameter.`, { param });
  }
  return new GatewayError("invalid_param", `${param}: ${message}`, { param });
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
