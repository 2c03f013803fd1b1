import { expect } from "vitest";
import type { AudioBehavior } from "../catalog/charging.ts";
import { type BegunAudio, beginAudio } from "./begin-audio.ts";
import type { EndCall } from "./end-call.ts";
import type { Ending } from "./matrix.ts";
import { soon } from "./soon.ts";

/** Two finals of two seconds, and a second that no final has yet. */
const seconds = 5;

const finalsOf = ({ received }: BegunAudio) => received().split("transcription.final").length - 1;

/** Leaves once the client has received so many finals. The third is that of the flush. */
const leaveAfter =
  (finals: number, behavior: AudioBehavior): EndCall =>
  async (stack, account, cell) => {
    const open = await beginAudio(stack, account, cell, { behavior, seconds });
    if (finals > 2) open.flush();
    await soon(() => {
      expect(open.received()).toContain("transcription.partial");
      expect(finalsOf(open)).toBeGreaterThanOrEqual(finals);
    });
    open.leave();
    await open.ended;
    return open;
  };

/** The provider returns no event for so little audio before it is flushed. */
const leaveBeforeTheFirstEvent: EndCall = async (stack, account, cell) => {
  const open = await beginAudio(stack, account, cell, { behavior: "late", seconds: 0.4 });
  open.leave();
  await open.ended;
  return open;
};

const revokeTheKeyOfAudio: EndCall = async (stack, account, cell) => {
  const open = await beginAudio(stack, account, cell, { behavior: "pending", seconds });
  await soon(() => expect(finalsOf(open)).toBe(2));
  await stack.operator.revokeKey({ keyId: account.keyId });
  await open.ended;
  expect(open.received()).toContain("key_revoked");
  return open;
};

/** A live client falls silent, which is why its provider closes. A file has more than is sent till then. */
const letTheProviderClose: EndCall = async (stack, account, cell) => {
  const streamed =
    cell.form === "live"
      ? ({ behavior: "idle", seconds } as const)
      : ({ behavior: "closes", seconds: 200 } as const);
  const open = await beginAudio(stack, account, cell, streamed);
  await open.ended;
  return open;
};

const letTheProviderErr: EndCall = async (stack, account, cell) => {
  const open = await beginAudio(stack, account, cell, { behavior: "errs", seconds });
  // The provider errs after the flush. A client that leaves without one is another ending.
  open.flush();
  await open.ended;
  return open;
};

/** The endings of streamed audio that need no gateway of their own, and take less than a second. */
export const endAudioCall: { readonly [Each in Ending]?: EndCall } = {
  "the client leaves before the first byte": leaveBeforeTheFirstEvent,
  "the client leaves after the first byte": leaveAfter(0, "pending"),
  "the client leaves in the middle": leaveAfter(2, "pending"),
  "the client leaves at the last event": leaveAfter(3, "open"),
  "the key is revoked": revokeTheKeyOfAudio,
  "the provider closes": letTheProviderClose,
  "the provider errs": letTheProviderErr,
};
