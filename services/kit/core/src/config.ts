import { z } from "zod";
import { StartError } from "./errors.ts";

/** The environment as handed in at the start; nothing reads `process.env` after that. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings that `schema` names out of the environment. An empty variable counts as
 * unset. A bad value raises a StartError that names the variable.
 */
export function readSettings<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
  const values = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === "" ? undefined : env[name]]),
  );
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = issue?.path.join(".") ?? "";
  const problem = values[name] === undefined ? "is not set" : (issue?.message ?? "is not valid");
  throw new StartError(`${name}: ${problem}`);
}

/** A whole number within bounds, with a default. */
export function integerSetting(bounds: { min: number; max: number; default: number }) {
  const message = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message)
    .default(bounds.default);
}
