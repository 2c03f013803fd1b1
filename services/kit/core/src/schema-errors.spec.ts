import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssue } from "./schema-errors.ts";

test.each<[z.ZodType, unknown, string]>([
  [z.string(), 1, "must be a string"],
  [z.number(), "1", "must be a number"],
  [z.int(), 1.5, "must be an integer"],
  [z.boolean(), 1, "must be true or false"],
  [z.array(z.string()), {}, "must be an array"],
  [z.object({}), [], "must be an object"],
  [z.record(z.string(), z.string()), [], "must be an object"],
  [z.literal("a"), "b", 'must be "a"'],
  [z.enum(["a", "b"]), "c", 'must be one of "a", "b"'],
  [z.discriminatedUnion("t", [z.object({ t: z.literal("a") })]), { t: 1 }, 'must be "a"'],
  [z.number().min(1), 0, "must be at least 1"],
  [z.number().gt(1), 1, "must be more than 1"],
  [z.number().max(1), 2, "must be at most 1"],
  [z.number().lt(1), 1, "must be less than 1"],
  [z.number().multipleOf(2), 1, "must be a multiple of 2"],
  [z.string().min(1), "", "must have at least 1 character"],
  [z.string().max(2), "abc", "must have at most 2 characters"],
  [z.array(z.string()).min(2), [], "must have at least 2 items"],
  [z.string().startsWith("/"), "a", 'must start with "/"'],
  [z.string().regex(/^a$/), "b", "must match /^a$/"],
  [z.url(), "a", "must be a valid URL"],
  [z.strictObject({}), { a: 1 }, "must not have the field a"],
  [z.string().refine(() => false), "a", "is not valid"],
])("issue %# says what the value must be", (schema, value, message) => {
  const { error } = schema.safeParse(value, { error: describeIssue });
  expect(error?.issues[0]?.message).toBe(message);
});
