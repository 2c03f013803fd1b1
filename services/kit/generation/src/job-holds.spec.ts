import { create } from "@bufbuild/protobuf";
import { Cancellation } from "@tollgate/core/cancellation";
import type { Hold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import { Admission, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, test, vi } from "vitest";
import { JobHolds } from "./job-holds.ts";
import { createRunningGenerations } from "./running-generations.ts";

const caller = create(CallerSchema, { requestId: "req_1", admission: Admission.WHOLE });

async function takeOne(holdId = "req_1") {
  const hold = { amount: 5n, settle: () => ({ holdId }), leave: vi.fn(), stopExtending: vi.fn() };
  const holds = { take: vi.fn(async () => hold as unknown as Hold), abandon: vi.fn() };
  const running = createRunningGenerations(100);
  const jobHolds = new JobHolds({ holds: holds as unknown as Holds, running });
  const cancellation = new Cancellation();
  const taken = await jobHolds.take({ caller, estimate: 5n, cancellation });
  return { hold, holds, running, cancellation, taken };
}

test("a job holds by the policy of its account, and is handed over without a release", async () => {
  const { hold, holds, running, taken } = await takeOne();
  expect(holds.take).toHaveBeenCalledWith("req_1", caller, 5n, { isWhole: true, isJob: true });
  const drained = running.drain(60_000);
  taken.handOver();
  await drained;
  expect([taken.id, taken.amount, hold.stopExtending.mock.calls]).toEqual(["req_1", 5n, [[]]]);
  expect(holds.abandon).not.toHaveBeenCalled();
});

test("an attempt runs to its end although the client leaves, and no other one begins", async () => {
  const { hold, holds, cancellation, taken } = await takeOne();
  const created = Promise.withResolvers<string>();
  const attempt = taken.attempt(() => created.promise);
  cancellation.leave();
  expect([cancellation.isAborted, hold.leave.mock.calls]).toEqual([false, [[]]]);
  created.resolve("job-1");
  expect(await attempt).toBe("job-1");
  const next = taken.attempt(() => expect.unreachable("the client has left"));
  await expect(next).rejects.toMatchObject({ reason: "cancelled" });
  taken.abandon();
  expect(holds.abandon).toHaveBeenCalledWith("req_1");
});

test("the end of the grace period ends an attempt", async () => {
  const { running, cancellation, taken } = await takeOne();
  const attempt = taken.attempt(
    () =>
      new Promise((_, reject) => {
        cancellation.signal.addEventListener("abort", () => reject(cancellation.signal.reason));
      }),
  );
  const drained = running.drain(1);
  await expect(attempt).rejects.toMatchObject({ reason: "unavailable" });
  taken.abandon();
  await drained;
});

test("a job that costs nothing has no hold to release", async () => {
  const { holds, taken } = await takeOne("");
  expect(taken.id).toBeUndefined();
  taken.abandon();
  expect(holds.abandon).not.toHaveBeenCalled();
});
