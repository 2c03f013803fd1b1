import type { z } from "zod";

/**
 * Describes an issue that zod found and the schema has no message for: what the value must be, to
 * follow the name of the field. Pass it to `safeParse` as `error`.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return mustBe(types[issue.expected ?? ""] ?? "of another type");
    case "invalid_value":
      return mustBe(listValues(issue.values));
    case "invalid_union":
      return mustBe(Array.isArray(issue.options) ? listValues(issue.options) : "of another form");
    case "too_small":
      return describeLimit(issue.origin, issue.minimum, issue.inclusive ? "at least" : "more than");
    case "too_big":
      return describeLimit(issue.origin, issue.maximum, issue.inclusive ? "at most" : "less than");
    case "not_multiple_of":
      return mustBe(`a multiple of ${issue.divisor}`);
    case "invalid_format":
      return describeFormat(issue);
    case "unrecognized_keys":
      return `must not have the field ${issue.keys?.[0]}`;
    default:
      return "is not valid";
  }
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

/** Returns values for a sentence: `"a"`, or `one of "a", "b"`. */
export function listValues(values: readonly unknown[]): string {
  const names = values.map((value) =>
    typeof value === "bigint" ? String(value) : JSON.stringify(value),
  );
  return names.length === 1 ? String(names[0]) : `one of ${names.join(", ")}`;
}

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  null: "null",
};

function mustBe(what: string): string {
  return `must be ${what}`;
}

function describeLimit(origin: string, limit: unknown, relation: string): string {
  if (origin === "string") return `must have ${relation} ${count(limit, "character")}`;
  if (origin === "array") return `must have ${relation} ${count(limit, "item")}`;
  return `must be ${relation} ${limit}`;
}

function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}

function describeFormat({ format, prefix, pattern }: z.core.$ZodRawIssue): string {
  if (format === "starts_with") return `must start with ${JSON.stringify(prefix)}`;
  if (format === "regex") return `must match ${pattern}`;
  return `must be a valid ${format === "url" ? "URL" : format}`;
}
