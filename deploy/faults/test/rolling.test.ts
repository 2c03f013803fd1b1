import { expect, test } from "vitest";
import { rollingRestart } from "../src/rolling-restart.ts";

test("a rolling restart of every service loses no request and no event", {
  timeout: 1_200_000,
}, async () => {
  const { observations, restarted, violations } = await rollingRestart(12);
  expect(violations).toEqual([]);
  expect(restarted).toBe(16);
  expect(observations.length).toBeGreaterThan(500);
  expect(new Set(observations.map(({ workload }) => workload)).size).toBe(18);
});
