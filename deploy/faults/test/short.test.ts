import { expect, test } from "vitest";
import { holdTrial } from "../src/trial.ts";

/** The short form of `npm run test:faults`. */
test("a fleet under fire loses nothing and charges nothing twice", {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 7, requests: 300, faults: 10, clients: 12, replicas: 1 };
  const { violations, told, inflicted } = await holdTrial(plan);
  expect(violations).toEqual([]);
  expect(told.filter(({ ended }) => ended === "whole").length).toBeGreaterThan(50);
  expect([...inflicted.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(10);
});
