import { z } from "zod";
import { StartError } from "./errors.ts";
import { describeIssue } from "./schema-errors.ts";

/** The environment, read once at the start. Nothing else reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that `schema` names from the environment. An empty variable counts as unset.
 * Throws a StartError that names the variable if a value is invalid.
 */
export function readSettings<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
  const values = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === "" ? undefined : env[name]]),
  );
  const parsed = schema.safeParse(values, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = issue?.path.join(".") ?? "";
  const problem = values[name] === undefined ? "is not set" : (issue?.message ?? "is invalid");
  throw new StartError(`${name}: ${problem}`);
}

/** Returns the schema of a whole number within bounds, both included, with a default. */
export function integerSetting(bounds: { min: number; max: number; default: number }) {
  const message = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message)
    .default(bounds.default);
}
