import { z } from "zod";

/** Bounds the size of a catalog: each plan may have prices of each model. */
const maxPlans = 64;
/** A larger factor is a mistake. */
const maxFactor = 1_000;
const factorPattern = /^(0|[1-9]\d{0,3})(?:\.\d{1,6})?$/;

const planName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .refine((name) => name !== "none");

const plan = z.strictObject({
  factor: z
    .string({ error: 'must be a number in quotes, for instance "0.9"' })
    .refine(
      (text) => factorPattern.test(text) && Number(text) <= maxFactor,
      `must be a decimal from 0 to ${maxFactor}, with at most 6 decimals`,
    )
    .default("1"),
  /** By alias. The route type of the model decides which prices it has. */
  models: z.record(z.string(), z.unknown()).default({}),
});

/** The schema of the plans of a catalog, by their names. */
export const plansSchema = z
  .record(planName, plan, {
    error: ({ code }) =>
      code === "invalid_key"
        ? "must be named by 1 to 64 lower-case letters, digits, _ and -, and not none"
        : undefined,
  })
  .refine((plans) => Object.keys(plans).length <= maxPlans, `must be at most ${maxPlans}`)
  .default({});

export type PlanEntry = z.output<typeof plan>;
