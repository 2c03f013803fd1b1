import { expect, inject, test } from "vitest";
import { runFaults } from "../src/run-faults.ts";

const [requests, faults] = inject("form") === "short" ? [150, 6] : [300, 10];

/** A short campaign of `npm run test:faults`. */
test("a fleet with injected faults loses no event and charges nothing twice", {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 7, requests, faults, clients: 12, replicas: 1 };
  const { violations, observations, injected } = await runFaults(plan);
  expect(violations).toEqual([]);
  expect(observations.filter(({ outcome }) => outcome === "complete").length).toBeGreaterThan(50);
  expect([...injected.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(faults);
});
