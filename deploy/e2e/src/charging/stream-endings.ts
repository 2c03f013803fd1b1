import { expect } from "vitest";
import type { Behavior } from "../catalog/charging.ts";
import { beginCall } from "./begin-call.ts";
import type { EndCall } from "./end-call.ts";
import { expectNothingInProgress } from "./in-progress.ts";
import type { Ending } from "./matrix.ts";
import { soon } from "./soon.ts";

const leaveBeforeTheFirstByte: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "held");
  open.leave();
  await open.ended;
  await soon(() => expect(open.recorded.outcome).toBe("client_disconnected"));
  await expectNothingInProgress(stack, account);
  return open;
};

/** Leaves a stream that its provider stalls, once all of it has been received. */
function leaveStalled(behavior: Behavior): EndCall {
  return async (stack, account, { call }) => {
    const open = await beginCall(stack, account, call, behavior);
    let before = 0;
    await soon(() => {
      const bytes = open.receivedBytes();
      const isAll = bytes > 0 && bytes === before;
      before = bytes;
      expect([open.recorded.outcome, isAll]).toEqual(["hung", true]);
    });
    open.leave();
    await open.ended;
    return open;
  };
}

const leaveAtTheLastEvent: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "streams");
  await soon(() => expect(open.recorded.outcome).toBe("completed"));
  open.leave();
  await open.ended;
  return open;
};

const revokeTheKey: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "waits-in-stream");
  await soon(() => expect(open.receivedBytes()).toBeGreaterThan(0));
  await stack.operator.revokeKey({ keyId: account.keyId });
  await open.ended;
  return open;
};

const failWith =
  (behavior: Behavior): EndCall =>
  async (stack, account, { call }) => {
    const open = await beginCall(stack, account, call, behavior);
    await open.ended;
    return open;
  };

/** The endings of streams of chat that need no gateway of their own, and take less than a second. */
export const endStreamCall: { readonly [Each in Ending]?: EndCall } = {
  "the client leaves before the first byte": leaveBeforeTheFirstByte,
  "the client leaves after the first byte": leaveStalled("waits-in-stream"),
  "the client leaves in the middle": leaveStalled("stalls-in-the-middle"),
  "the client leaves at the last event": leaveAtTheLastEvent,
  "the key is revoked": revokeTheKey,
  "the provider closes": failWith("closes-stream"),
  "the provider errs": failWith("errs-in-stream"),
};
