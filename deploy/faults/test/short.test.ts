import { expect, test } from "vitest";
import { runFaults } from "../src/run-faults.ts";

/** The short form of `npm run test:faults`. */
test("a fleet under fire loses nothing and charges nothing twice", {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 7, requests: 300, faults: 10, clients: 12, replicas: 1 };
  const { violations, observations, injected } = await runFaults(plan);
  expect(violations).toEqual([]);
  expect(observations.filter(({ outcome }) => outcome === "complete").length).toBeGreaterThan(50);
  expect([...injected.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(10);
});
