import { expect, test } from "vitest";
import { readBillingConfig } from "./config.ts";

const env = { DATABASE_URL: "postgres://localhost/tollgate" };

test("passwords are hashed at the safe cost or above, and below it in tests only", () => {
  expect(readBillingConfig(env).passwordCost).toBe(15);
  expect(readBillingConfig({ ...env, TOLLGATE_PASSWORD_COST: "16" }).passwordCost).toBe(16);
  const low = { ...env, TOLLGATE_PASSWORD_COST: "14" };
  expect(() => readBillingConfig(low)).toThrow(/TOLLGATE_PASSWORD_COST: must be at least 15/);
  expect(() => readBillingConfig({ ...low, NODE_ENV: "production" })).toThrow(/at least 15/);
  expect(readBillingConfig({ ...low, NODE_ENV: "test" }).passwordCost).toBe(14);
});

test("a second factor is required where one can be set up", () => {
  const required = { ...env, TOLLGATE_REQUIRE_TOTP: "everybody" };
  expect(() => readBillingConfig(required)).toThrow(/TOLLGATE_IDENTITY_KEY: is not set/);
  const withKey = { ...required, TOLLGATE_IDENTITY_KEY: "x".repeat(32) };
  expect(readBillingConfig(withKey).factorPolicy).toBe("everybody");
  expect(readBillingConfig(env).factorPolicy).toBe("off");
});
