import { expect, inject, test } from "vitest";
import { startArchivedDatabase } from "../src/archived-database.ts";
import { failOver } from "../src/failover.ts";
import { startReplicatedDatabase } from "../src/replicated-database.ts";

/** Each starts a fleet and two servers of its own. */
test.skipIf(inject("form") === "short").each([
  ["that fails over", startReplicatedDatabase],
  ["that is lost, and restored from a base backup and its archive,", startArchivedDatabase],
])(
  "a Postgres %s loses no charge, and requests are served again without a restart",
  { timeout: 600_000 },
  async (_, start) => {
    const { before, during, after, violations, outageMs } = await failOver(8, 60, start);
    expect(violations).toEqual([]);
    expect(outageMs).toBeLessThan(60_000);
    const statuses = new Set(during.map(({ status }) => status));
    expect(statuses).toContain(503);
    expect(before.length).toBeGreaterThanOrEqual(60);
    expect(after.length).toBeGreaterThanOrEqual(60);
  },
);
