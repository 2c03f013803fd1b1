import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BegunAudio, beginAudio } from "../src/charging/begin-audio.ts";
import { type BegunCall, beginCall } from "../src/charging/begin-call.ts";
import { type BilledCall, billedCalls } from "../src/charging/billed-calls.ts";
import { expectCharge } from "../src/charging/expect-charge.ts";
import { expectNothingInProgress, newSerialAccount } from "../src/charging/in-progress.ts";
import { type Cell, cellsOf, type Ending } from "../src/charging/matrix.ts";
import { processesToEnd } from "../src/charging/process-endings.ts";
import { soon } from "../src/charging/soon.ts";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { type OwnStack, type Stack, startStack } from "../src/stack.ts";

/** Holds of 5 s expire, and late usage is awaited for three times as long. */
const lateUsage = { timeout: 45_000 };

interface Begun {
  cell: Cell;
  open: BegunCall;
  /** What is held for a call that is charged that. */
  held?: bigint | undefined;
}

/** Resolves with what is held for a call that is in progress, where its cell says that it is charged that. */
async function heldFor({ charge }: Cell, { account }: BegunCall, at: Stack) {
  if (charge !== "held") return undefined;
  const { holds } = await at.operator.listHolds({ account: account.accountId });
  expect(holds).toHaveLength(1);
  return holds[0]?.amountNanoUsd;
}

/** The endings of the matrix that take seconds, or processes of their own: all rows end at once. */
describe("what is charged", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_HOLD_SECONDS: "5", TOLLGATE_GRACE_SECONDS: "5" });
  });

  afterAll(async () => {
    await expectBalancedLedger(stack);
    await stack.stop();
  });

  /**
   * Begins the calls of all rows, at a provider that responds when it is released. Those of streamed
   * audio begin last: their providers do not wait as long.
   */
  async function beginAll(
    ending: Ending,
    at: Stack,
    behaviorOf: (cell: Cell) => "held" | "stalls" | "endless" = () => "held",
  ) {
    const begun: Begun[] = [];
    const cells = cellsOf(ending);
    for (const cell of cells.filter(({ call }) => !call.isAudioStream)) {
      const account = await newSerialAccount(at);
      const open = await beginCall(at, account, cell.call, behaviorOf(cell));
      begun.push({ cell, open, held: await heldFor(cell, open, at) });
    }
    for (const cell of cells.filter(({ call }) => call.isAudioStream)) {
      begun.push({ cell, open: await beginStream(cell, at) });
    }
    expect(begun).toHaveLength(cells.length);
    return begun;
  }

  /** Streams audio, and resolves once the client has finals of a part of it. */
  async function beginStream(cell: Cell, at: Stack): Promise<BegunAudio> {
    const stalls = cell.ending === "the provider stalls";
    const streamed = stalls
      ? ({ behavior: "pending", seconds: 5 } as const)
      : ({ behavior: "lingers", seconds: 1.45 } as const);
    const open = await beginAudio(at, await newSerialAccount(at), cell, streamed);
    await soon(() => expect(open.received()).toContain("transcription.final"));
    // A provider that is sent no flush does not stall: it waits for audio.
    if (stalls) open.flush();
    return open;
  }

  const canLeave = ({ call, form }: Cell) => form !== "stream" && !call.isAudioStream;

  async function expectCharges(begun: readonly Begun[], at = stack) {
    expect(begun.length).toBeGreaterThan(9);
    for (const { cell, open, held } of begun) await expectCharge(at, cell, open, held);
  }

  test("when the gateway drains: calls run on, also those whose clients left", async () => {
    const processes = await processesToEnd(stack);
    const begun = await beginAll("the gateway drains", { ...stack, url: processes.url });
    for (const { cell, open } of begun) {
      if (!canLeave(cell)) continue;
      open.leave();
      await expectNothingInProgress(stack, open.account);
    }
    const { exited } = await processes.drain();
    stack.simulator.release();
    await exited;
    await processes.restore();
    for (const { open } of begun) expect(open.recorded.outcome).toBe("completed");
    await expectCharges(begun);
  });

  test.each([
    true,
    false,
  ])("when the grace period ends: nothing (clients leave: %s)", async (leaves) => {
    const processes = await processesToEnd(stack);
    const begun = await beginAll("the grace period ends", { ...stack, url: processes.url });
    for (const { cell, open } of begun) {
      if (!leaves || !canLeave(cell)) continue;
      open.leave();
      await expectNothingInProgress(stack, open.account);
    }
    const { exited } = await processes.drain();
    await exited;
    await processes.restore();
    await expectCharges(begun);
  });

  test("when the processes are killed: nothing, and the ledger records the failures", async () => {
    const processes = await processesToEnd(stack);
    const begun = await beginAll("the process is killed", { ...stack, url: processes.url });
    await processes.kill();
    await processes.restore();
    const { account } = begun[0]?.open ?? {};
    await eventually(async () => {
      const { entries } = await stack.operator.listLedger({ account: account?.accountId ?? "" });
      expect(entries.map(({ kind }) => kind)).toContain("failure");
    }, lateUsage);
    await expectCharges(begun);
  });

  test("when only the process that accepted the request is killed: its client has not left", async (context) => {
    context.skip(stack.killService === undefined, "all is one process");
    const edge = await stack.addReplica();
    const at = { ...stack, url: edge.url };
    const begun = await beginAll("the process is killed", at);
    for (const call of [billedCalls.chat, billedCalls.chatStream].map(withLargeBody)) {
      const open = await beginCall(at, await newSerialAccount(at), call, "held");
      begun.push({
        cell: { call, form: "whole", ending: "the process is killed", charge: "nothing" },
        open,
      });
    }
    await edge.kill();
    const charged = begun.map(({ cell, open }) => ({ cell: withoutEdge(cell), open }));
    await expectCharges(charged.filter(({ cell }) => cell.charge !== "reported"));
    stack.simulator.release();
    for (const { cell, open } of charged) await expectCharge(stack, cell, open);
    const chats = begun.filter(({ cell }) => cell.call.providerPath === "/v1/chat/completions");
    for (const { open } of chats) expect(open.recorded.outcome).toBe("client_disconnected");
  });

  test("when the provider stalls", async () => {
    const begun = await beginAll("the provider stalls", stack, () => "stalls");
    await expectCharges(begun);
  });

  test("when the deadline passes", async () => {
    const hasty = await startStack({ TOLLGATE_RESPONSE_SECONDS: "3" });
    const begun = await beginAll("the deadline passes", hasty, ({ form }) =>
      form === "speech" ? "endless" : "held",
    );
    // A stream that is stored is charged as others are.
    const streams = cellsOf("the deadline passes").filter(({ form }) => form === "stream");
    for (const one of streams) {
      const call = { ...one.call, headers: { "idempotency-key": one.call.path } };
      const account = await newSerialAccount(hasty);
      // A hold grows ahead of what is delivered, of which a model that hides its reasoning has nothing here.
      const behavior = one.by === "hidden" ? "held" : "waits-in-stream";
      const open = await beginCall(hasty, account, call, behavior);
      begun.push({ cell: { ...one, call }, open, held: await heldFor(one, open, hasty) });
    }
    for (const { open } of begun) await open.ended;
    await expectCharges(begun, hasty);
    await hasty.stop();
  });
});

/** The body is larger than what services send each other in a shared stream. */
function withLargeBody(call: BilledCall): BilledCall {
  return {
    ...call,
    async write(alias) {
      const { bytes, contentType } = await call.write(alias);
      const text = bytes.toString().replace('"content":"', `"content":"${"large ".repeat(50_000)}`);
      return { bytes: Buffer.from(text), contentType };
    },
  };
}

/** What is charged where the process that accepted a request is killed, and no other. */
function withoutEdge(cell: Cell): Cell {
  if (cell.form === "job") return { ...cell, charge: "unrecorded" };
  // The transcript of a file is read to its end, and billed, whatever ends it.
  if (cell.form === "stream" && cell.by === "form") return { ...cell, charge: "reported" };
  return { ...cell, charge: cell.call.isAudioStream ? "delivered" : "nothing" };
}
