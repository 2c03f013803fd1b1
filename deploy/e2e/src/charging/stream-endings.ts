import { expect } from "vitest";
import type { Behavior } from "../catalog/charging.ts";
import { beginCall } from "./begin-call.ts";
import type { EndCall } from "./end-call.ts";
import { expectNothingInProgress } from "./in-progress.ts";
import type { Ending } from "./matrix.ts";
import { soon } from "./soon.ts";

/** A stream of 4,000 tokens has more than 50,000 bytes on every wire. */
const middleBytes = 20_000;

const leaveBeforeTheFirstByte: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "held");
  open.leave();
  await open.ended;
  await soon(() => expect(open.recorded.outcome).toBe("client_disconnected"));
  await expectNothingInProgress(stack, account);
  return open;
};

/** Leaves once so many bytes have been received. */
function leaveAfter(behavior: Behavior, bytes: number): EndCall {
  return async (stack, account, { call }) => {
    const open = await beginCall(stack, account, call, behavior);
    await soon(() => expect(open.receivedBytes()).toBeGreaterThanOrEqual(bytes));
    open.leave();
    await open.ended;
    await soon(() => expect(open.recorded.outcome).not.toBe("open"));
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
  "the client leaves after the first byte": leaveAfter("waits-in-stream", 1),
  "the client leaves in the middle": leaveAfter("streams-slowly", middleBytes),
  "the client leaves at the last event": leaveAtTheLastEvent,
  "the key is revoked": revokeTheKey,
  "the provider closes": failWith("closes-stream"),
  "the provider errs": failWith("errs-in-stream"),
};
