import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { policies } from "./policies.ts";
import type { Context, Finding } from "./step.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

interface Setup {
  /** Whether a policy that denies all connections has an effect. */
  isEnforced: boolean;
  /** The servers that a client reaches. */
  open: readonly string[];
}

/** Runs the step in a cluster that is faked. */
async function run({ isEnforced, open }: Setup): Promise<{ finding: Finding; isDenied: boolean }> {
  let isDenied = false;
  const kubectl = async ([command]: readonly string[]) => {
    isDenied = command === "apply";
    return "";
  };
  const reaches = async (host: string) => open.includes(host) && !(isEnforced && isDenied);
  const context = { release: { kubectl }, loadPod: { reaches } } as unknown as Context;
  const running = policies.run(context);
  await vi.advanceTimersByTimeAsync(120_000);
  return { finding: await running, isDenied };
}

test("where a policy that denies everything has no effect, the step is skipped", async () => {
  const open = ["tollgate-edge", "tollgate-ledger"];
  expect(await run({ isEnforced: false, open })).toEqual({
    finding: { skipped: "policies are not enforced here" },
    isDenied: false,
  });
});

test("where policies are enforced, a client reaches the edge alone", async () => {
  expect(await run({ isEnforced: true, open: ["tollgate-edge"] })).toEqual({
    finding: {},
    isDenied: false,
  });
});

test("where policies are enforced, each open server is a problem", async () => {
  const open = ["tollgate-edge", "tollgate-ledger", "tollgate-postgres"];
  const { finding } = await run({ isEnforced: true, open });
  expect(finding.problem).toBe("a client reaches tollgate-ledger, tollgate-postgres");
});

test("a client that does not reach the edge is a problem, and no lack of enforcement", async () => {
  const { finding } = await run({ isEnforced: true, open: [] });
  expect(finding.problem).toBe("a client does not reach the edge");
});
