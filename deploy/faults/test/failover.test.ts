import { expect, inject, test } from "vitest";
import { startArchivedDatabase } from "../src/archived-database.ts";
import { failOver } from "../src/failover.ts";
import type { Observation } from "../src/observation.ts";
import { startReplicatedDatabase } from "../src/replicated-database.ts";

/** Each starts a fleet and two servers of its own. */
test.skipIf(inject("form") === "short").each([
  ["that fails over", startReplicatedDatabase, 60_000],
  // A restore takes as long as its server needs for the archive.
  [
    "that is lost, and restored from a base backup and its archive,",
    startArchivedDatabase,
    300_000,
  ],
])(
  "a Postgres %s loses no charge, and requests are served again without a restart",
  { timeout: 600_000 },
  async (_, start, maxOutageMs) => {
    const { before, during, after, violations, outageMs } = await failOver(8, 60, start);
    expect(violations).toEqual([]);
    expect(outageMs).toBeLessThan(maxOutageMs);
    // Nothing is refused otherwise, and no client waits in vain.
    const refusals = new Set([...during, ...after].flatMap(refusalOf));
    expect(refusals).toEqual(new Set(["unavailable"]));
    expect(before.length).toBeGreaterThanOrEqual(60);
    expect(after.length).toBeGreaterThanOrEqual(60);
  },
);

/** Returns how a request was refused, or how one ended whose client waited in vain. */
function refusalOf({ workload, outcome, status, reason = "" }: Observation): string[] {
  if (outcome === "broken" && status === 0) return [`${workload} ${reason}`];
  if (outcome !== "refused") return [];
  // The upgrade of a WebSocket has no 503.
  if (workload === "live transcription" && status === 500) return ["unavailable"];
  const isUnavailable = reason === "" || reason.includes("no_provider_available");
  return [status === 503 && isUnavailable ? "unavailable" : `${workload} ${status} ${reason}`];
}
