import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { Measurement } from "@tollgate/metering/measurement";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test, vi } from "vitest";
import type { Generation } from "./generation.ts";
import type { Pipeline } from "./pipeline.ts";
import { type StreamedOrder, streamAnswer } from "./streamed-response.ts";

const measured: Measurement = { quantity: 7n, basis: "provider", lines: [] };
const slot = { id: "near/model" } as Slot;

function world(more: Partial<StreamedOrder<string>>) {
  const generation = {
    held: 100n,
    grow: vi.fn(),
    call: async <Answer>(attempt: (one: Slot) => Promise<Answer>) => ({
      slot,
      answer: await attempt(slot),
    }),
    answered: vi.fn(),
    firstPiece: vi.fn(),
    complete: vi.fn(async () => 5n),
    chargeOf: () => 5n,
    fail: vi.fn(async () => {}),
  } satisfies Generation;
  const pipeline = { open: async () => generation } as unknown as Pipeline;
  const order: StreamedOrder<string> = {
    caller: undefined,
    model: {} as StreamedOrder<string>["model"],
    estimate: 100n,
    open: async () => pieces(),
    measure: () => measured,
    measureLeft: () => ({ ...measured, basis: "left" }),
    last: (cost) => `cost ${cost}`,
    ...more,
  };
  return { generation, answer: streamAnswer(pipeline, order, new AbortController().signal) };
}

async function* pieces() {
  yield "a";
  yield "b";
}

/** What came of it, and what ended it. */
async function readAll(answer: AsyncIterable<string>) {
  const read: string[] = [];
  try {
    for await (const piece of answer) read.push(piece);
  } catch (error) {
    return { read, error };
  }
  return { read, error: undefined };
}

test("an answer that is whole is charged before its last piece", async () => {
  const { generation, answer } = world({});
  expect(await readAll(answer)).toEqual({ read: ["a", "b", "cost 5"], error: undefined });
  expect(generation.complete.mock.calls).toEqual([[slot, measured]]);
  expect(generation.fail).not.toHaveBeenCalled();
});

test("what was delivered is charged, once, also where what comes before the charge fails", async () => {
  const failure = new GatewayError("internal_error", "it cannot be kept");
  const { generation, answer } = world({ beforeCharge: () => Promise.reject(failure) });
  expect(await readAll(answer)).toEqual({ read: ["a", "b"], error: failure });
  expect(generation.complete.mock.calls).toEqual([[slot, measured]]);
  expect(generation.fail).not.toHaveBeenCalled();
});

test("an answer that breaks is not charged", async () => {
  const failure = new GatewayError("upstream_rejected", "it ends too soon");
  const finish = () => {
    throw failure;
  };
  const { generation, answer } = world({ finish });
  expect(await readAll(answer)).toEqual({ read: ["a", "b"], error: failure });
  expect(generation.complete).not.toHaveBeenCalled();
  expect(generation.fail).toHaveBeenCalledOnce();
});

test("a slot that fails before its first piece leaves the answer to the next", async () => {
  const next = { id: "far/model" } as Slot;
  const dead = new SlotFailure("rejected", "it has no piece");
  const { generation, answer } = world({
    open: async (one) => (one === slot ? broken(dead) : pieces()),
  });
  generation.call = async (attempt) => {
    await expect(attempt(slot)).rejects.toBe(dead);
    return { slot: next, answer: await attempt(next) };
  };
  expect(await readAll(answer)).toEqual({ read: ["a", "b", "cost 5"], error: undefined });
  expect(generation.complete.mock.calls).toEqual([[next, measured]]);
});

// biome-ignore lint/correctness/useYield: it fails before it has anything to yield.
async function* broken(failure: Error): AsyncGenerator<string> {
  throw failure;
}
