import { expect, inject, test } from "vitest";
import { failOver } from "../src/failover.ts";

/** It starts a fleet and two servers of its own. */
test.skipIf(inject("form") === "short")(
  "a Postgres that fails over loses no charge, and requests are served again without a restart",
  { timeout: 600_000 },
  async () => {
    const { before, during, after, violations, outageMs } = await failOver(8, 60);
    expect(violations).toEqual([]);
    expect(outageMs).toBeLessThan(60_000);
    const statuses = (part: typeof before) => new Set(part.map(({ status }) => status));
    expect(statuses(during)).toContain(503);
    expect(before.length).toBeGreaterThanOrEqual(60);
    expect(after.length).toBeGreaterThanOrEqual(60);
  },
);
