import { expect } from "vitest";
import type { Stack } from "../stack.ts";
import { endAudioCall } from "./audio-endings.ts";
import { type BegunCall, beginCall } from "./begin-call.ts";
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
  return form === "stream" ? endStreamCall[ending] : endCall[ending];
}

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

/** Waits for the entry of a call, and checks that it charges what the cell says. */
export async function expectCharge(stack: Stack, cell: Cell, open: BegunCall): Promise<void> {
  const { account, recorded } = open;
  const entry = await soon(async () => {
    const { entries } = await stack.operator.listLedger({ account: account.accountId, limit: 99 });
    const found = entries.find(({ requestId }) => requestId === recorded.requestId);
    expect(found, `${cell.call.path}: ${cell.ending}`).toBeDefined();
    return found;
  });
  const charged = -(entry?.amountNanoUsd ?? 0n);
  const cost = cell.call.cost(recorded);
  switch (cell.charge) {
    case "nothing":
      expect([entry?.kind, charged]).toEqual(["failure", 0n]);
      return;
    case "reported":
      expect([entry?.kind, charged]).toEqual(["usage", cost]);
      return;
    case "delivered":
      expect(entry?.kind).toBe("usage");
      expect(Number(charged)).toBeGreaterThanOrEqual(0.85 * Number(cost));
      expect(Number(charged)).toBeLessThanOrEqual(1.15 * Number(cost));
      return;
    default:
      throw new Error(`"${cell.charge}" is compared by the test of its ending`);
  }
}
