import { GatewayError, unknownParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { z } from "zod";

/**
 * Checks a body against its route's schema. The first failure wins: unknown fields before missing
 * and bad ones. Raises `unknown_param` and `invalid_param`, `param` being the field's path.
 */
export function validate<S extends z.ZodObject>(schema: S, body: JsonObject) {
  refuseUnknownFields(schema, body, "");
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = innermost(parsed.error.issues[0] as z.core.$ZodIssue, []);
  throw refusal(issue);
}

/**
 * A body without the optional fields that are null: a client that sends null for one means that it
 * leaves it out. Fields that are not supported at all stay, to be refused. Raises `unknown_param`
 * for a field that the schema does not have, before it copies what may be a million of them.
 */
export function withoutNulls(schema: z.ZodObject, body: JsonObject): JsonObject {
  refuseUnknownFields(schema, body, "");
  const fields = { ...body };
  for (const [name, value] of Object.entries(body)) {
    if (value === null && isOptional(schema.shape[name])) delete fields[name];
  }
  return fields;
}

/** Whether a field is one that may be left out, and may be sent. */
export function isOptional(field: unknown): boolean {
  return field instanceof z.ZodOptional && !(field.unwrap() instanceof z.ZodNever);
}

/** Raises `unknown_param` for a field that the schema does not have. */
export function refuseUnknownFields(schema: z.ZodObject, body: JsonObject, prefix: string): void {
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema.shape, name)) throw unknownParam(`${prefix}${name}`);
  }
}

interface Issue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
}

/** In a union, the branch that got furthest is the one that was meant. */
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

function refusal({ code, path, message }: Issue): GatewayError {
  const param = pathOf(path);
  if (code === "unrecognized_keys") {
    return new GatewayError("unknown_param", `${param} is not a parameter.`, { param });
  }
  return new GatewayError("invalid_param", `${param}: ${message}`, { param });
}

/** Writes a path as clients know it: `messages[2].content[0].type`. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}
