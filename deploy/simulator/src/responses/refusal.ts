import type { z } from "zod";
import type { ProviderError } from "../error-response.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Returns the first problem of a body in the words, param and code of OpenAI's API. */
export function schemaErrorOf({ issues }: z.ZodError, body: unknown): ProviderError {
  const { issue, path } = innermost(issues, []);
  const name = issue.code === "unrecognized_keys" ? [issue.keys[0] ?? ""] : [];
  const param = paramOf([...path, ...name]);
  const { message, code } = problemOf(issue, valueAt(body, path));
  return { status: 400, message: message.replaceAll("%", param), param, code };
}

/** A `%` in the message stands for the path of the member. */
interface Problem {
  message: string;
  code: string;
}

function problemOf(issue: Issue, given: unknown): Problem {
  if (issue.code === "unrecognized_keys") {
    return { message: "Unknown parameter: '%'.", code: "unknown_parameter" };
  }
  if (given === undefined) {
    return { message: "Missing required parameter: '%'.", code: "missing_required_parameter" };
  }
  const supported = supportedValues(issue);
  if (supported !== undefined && typeof given === "string") {
    const message = `Invalid value: '${given}'. Supported values are: ${listed(supported)}.`;
    return { message, code: "invalid_value" };
  }
  if (issue.code === "custom") return { message: issue.message, code: "invalid_value" };
  if (issue.code === "invalid_format") return { message: badFormat(issue), code: "invalid_value" };
  if (issue.code === "too_small" || issue.code === "too_big") return outOfRange(issue, given);
  const message = `Invalid type for '%': expected ${expected(issue)}, but got ${kindOf(given)} instead.`;
  return { message, code: "invalid_type" };
}

/** Follows a union into the form that the value has, which is not the one of another type. */
function innermost(issues: readonly Issue[], at: Path): { issue: Issue; path: Path } {
  const issue = issues[0] as Issue;
  const path = [...at, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const fitting =
    issue.errors.find(([first]) => first?.path.length !== 0) ??
    issue.errors.find(([first]) => first?.code !== "invalid_type");
  return fitting === undefined ? { issue, path } : innermost(fitting, path);
}

/** `input[0].content[1].type` */
function paramOf(path: Path): string {
  return path.reduce<string>((written, key) => {
    if (typeof key === "number") return `${written}[${key}]`;
    return written === "" ? String(key) : `${written}.${String(key)}`;
  }, "");
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce((value: unknown, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Record<PropertyKey, unknown>)[key];
  }, body);
}

/** Returns the values of an enumeration, or the types that a union takes. */
function supportedValues(issue: Issue): readonly unknown[] | undefined {
  if (issue.code === "invalid_value") return issue.values;
  const isUnion = issue.code === "invalid_union" && "options" in issue;
  return isUnion ? (issue.options as readonly unknown[]) : undefined;
}

/** `'a', 'b', and 'c'` */
function listed(values: readonly unknown[]): string {
  const names = values.flatMap((value) => (typeof value === "string" ? `'${value}'` : []));
  if (names.length < 3) return names.join(" and ");
  return `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}`;
}

function outOfRange(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  given: unknown,
): Problem {
  const isSmall = issue.code === "too_small";
  const limit = String(isSmall ? issue.minimum : issue.maximum);
  const side = isSmall ? "below_min" : "above_max";
  if (typeof given === "number") {
    const kind = Number.isInteger(given) ? "integer" : "decimal";
    const bound = isSmall ? "below minimum" : "above maximum";
    const message = `Invalid '%': ${kind} ${bound} value. Expected a value ${isSmall ? ">=" : "<="} ${limit}, but got ${given} instead.`;
    return { message, code: `${kind}_${side}_value` };
  }
  const kind = Array.isArray(given) ? "array" : "string";
  const length = Array.isArray(given) || typeof given === "string" ? given.length : 0;
  const wanted = `${isSmall ? "minimum" : "maximum"} length ${limit}`;
  const message = `Invalid '%': ${kind} too ${isSmall ? "short" : "long"}. Expected one with ${wanted}, but got one with length ${length} instead.`;
  return { message, code: `${kind}_${side}_length` };
}

function badFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (issue.message.startsWith("Invalid '%'")) return issue.message;
  const pattern = issue.pattern?.replace(/^\/|\/$/g, "");
  return `Invalid '%': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`;
}

function expected(issue: Issue): string {
  if (issue.code === "invalid_union") {
    const kinds = issue.errors.flatMap(([first]) =>
      first?.code === "invalid_type" ? withArticle(first.expected) : [],
    );
    return `one of ${kinds.join(" or ")}`;
  }
  return issue.code === "invalid_type" ? withArticle(issue.expected) : "another value";
}

function withArticle(type: string): string {
  const names: Readonly<Record<string, string>> = {
    int: "an integer",
    array: "an array of objects",
    record: "an object",
    object: "an object",
    number: "a decimal",
  };
  return names[type] ?? `a ${type}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
