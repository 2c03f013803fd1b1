import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyLoadResult, type PodLoadResult } from "../load/plan.ts";
import { sleep } from "../wait-for.ts";
import { forcedDeletions } from "./deletions.ts";
import type { Context, Finding } from "./step.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Runs the step. The pods of the eight services are killed in the first 8 s of the load. */
async function run(lastFailureMs: number): Promise<Finding> {
  const load: PodLoadResult = { ...emptyLoadResult(), failures: { "json: 503": 2 }, lastFailureMs };
  const release = {
    async kubectl([command]: readonly string[]) {
      if (command === "delete") await sleep(1_000);
      return "pod/one\n";
    },
    settled: async () => {},
  };
  const loadPod = {
    async start() {
      // The load counts its time from the end of this.
      await sleep(60_000);
      return { stop: async () => load };
    },
  };
  const running = forcedDeletions.run({ release, loadPod, results: [] } as unknown as Context);
  await vi.advanceTimersByTimeAsync(300_000);
  return running;
}

test("requests may fail for 15 s after the last pod was killed", async () => {
  expect(await run(8_000 + 15_000)).toMatchObject({ problem: undefined, note: "2 × json: 503" });
});

test("a failure after that is a problem, however long the load took to start", async () => {
  const { problem } = await run(8_000 + 15_001);
  expect(problem).toBe("a request failed 15001 ms later");
});
