import { expect, test } from "vitest";
import { rollingRestart } from "../src/rolling.ts";

test("a rolling restart of every service loses no request and no event", {
  timeout: 1_200_000,
}, async () => {
  const { told, restarted, violations } = await rollingRestart(12);
  expect(violations).toEqual([]);
  expect(restarted).toBe(14);
  expect(told.length).toBeGreaterThan(500);
  expect(new Set(told.map(({ family }) => family)).size).toBe(17);
});
