import { expect } from "vitest";
import { endAudioCall } from "./audio-endings.ts";
import { beginCall } from "./begin-call.ts";
import type { EndCall } from "./end-call.ts";
import { expectNothingInProgress } from "./in-progress.ts";
import type { Cell, Ending } from "./matrix.ts";
import { soon } from "./soon.ts";
import { endStreamCall } from "./stream-endings.ts";

const leaveBeforeTheFirstByte: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "held");
  open.leave();
  await open.ended;
  await expectNothingInProgress(stack, account);
  stack.simulator.release();
  return open;
};

/** Leaves once so many bytes have been received. */
function leaveAfter(bytes: number): EndCall {
  return async (stack, account, { call, form }) => {
    const open = await beginCall(stack, account, call, form === "speech" ? "endless" : "held");
    if (form !== "speech") stack.simulator.release();
    await soon(() => expect(open.receivedBytes()).toBeGreaterThanOrEqual(bytes));
    open.leave();
    await open.ended;
    return open;
  };
}

const leaveAtTheLastByte: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "held");
  stack.simulator.release();
  await soon(() => expect(open.recorded.outcome).toBe("completed"));
  open.leave();
  await open.ended;
  return open;
};

const revokeTheKey: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "held");
  await stack.operator.revokeKey({ keyId: account.keyId });
  stack.simulator.release();
  await open.ended;
  return open;
};

const failWith =
  (behavior: "closes" | "stalls" | "errs"): EndCall =>
  async (stack, account, { call }) => {
    const open = await beginCall(stack, account, call, behavior);
    await open.ended;
    return open;
  };

/** Returns what ends a call of the cell; undefined for an ending that is in `long`. */
export function endingOf({ ending, form, call }: Cell): EndCall | undefined {
  if (call.isAudioStream) return endAudioCall[ending];
  if (call.runsOn) return endCallThatRunsOn[ending];
  return form === "stream" ? endStreamCall[ending] : endCall[ending];
}

/** Leaves a stream between its first event and its last, which are some time apart. */
const leavePaced: EndCall = async (stack, account, { call }) => {
  const open = await beginCall(stack, account, call, "paced");
  await soon(() => expect(open.receivedBytes()).toBeGreaterThan(0));
  open.leave();
  await open.ended;
  return open;
};

/** Those of a stream that its client may leave, and that runs to its end. */
const endCallThatRunsOn: { readonly [Each in Ending]?: EndCall } = {
  ...endStreamCall,
  "the client leaves before the first byte": leaveBeforeTheFirstByte,
  "the client leaves after the first byte": leaveAfter(1),
  "the client leaves in the middle": leavePaced,
  "the client leaves at the last event": leaveAtTheLastByte,
  "the key is revoked": revokeTheKey,
};

/** The endings that need no gateway of their own, and take less than a second. */
const endCall: { readonly [Each in Ending]?: EndCall } = {
  "the client leaves before the first byte": leaveBeforeTheFirstByte,
  "the client leaves after the first byte": leaveAfter(1),
  // Only audio has these.
  "the client leaves in the middle": leaveAfter(1_000_000),
  "the client leaves at the last event": leaveAtTheLastByte,
  "the key is revoked": revokeTheKey,
  "the provider closes": failWith("closes"),
  "the provider errs": failWith("errs"),
};
