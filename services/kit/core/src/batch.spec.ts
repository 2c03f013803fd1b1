import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createBatch } from "./batch.ts";

/** A batch whose runs are ended by hand. */
function heldBatch(
  options: { limit?: number; gather?: { items: number; ms: number }; patienceMs?: number } = {},
) {
  const runs: { items: readonly string[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const submit = createBatch<string, string>({
    run: (items) => {
      const end = Promise.withResolvers<readonly string[]>();
      runs.push({ items, end });
      return end.promise;
    },
    ...options,
    limit: options.limit ?? 100,
    isolates: () => false,
  });
  /** Ends a run with one answer an item. */
  const answer = (index: number) => {
    const run = runs[index];
    run?.end.resolve(run.items.map((item) => item.toUpperCase()));
  };
  const itemsOf = () => runs.map(({ items }) => items);
  return { submit, runs, answer, itemsOf };
}

/** The event loop has been through everything that it had to do. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("an item goes out alone and without waiting when nothing is under way", async () => {
  const { submit, itemsOf } = heldBatch();
  void submit("a");
  await turn();
  expect(itemsOf()).toEqual([["a"]]);
});

test("what one turn of the event loop brings goes out together", async () => {
  const { submit, itemsOf } = heldBatch();
  for (const item of ["a", "b", "c"]) void submit(item);
  await turn();
  expect(itemsOf()).toEqual([["a", "b", "c"]]);
});

test("one batch runs at a time, and what arrives meanwhile goes into the next", async () => {
  const { submit, answer, itemsOf } = heldBatch();
  const first = submit("a");
  await turn();
  const others = [submit("b"), submit("c")];
  await turn();
  expect(itemsOf()).toEqual([["a"]]);
  answer(0);
  expect(await first).toBe("A");
  await expect.poll(itemsOf).toEqual([["a"], ["b", "c"]]);
  answer(1);
  expect(await Promise.all(others)).toEqual(["B", "C"]);
});

test("a batch that is done starts again for the next item", async () => {
  const { submit, answer, itemsOf } = heldBatch();
  const first = submit("a");
  await turn();
  answer(0);
  await first;
  const second = submit("b");
  await expect.poll(itemsOf).toEqual([["a"], ["b"]]);
  answer(1);
  expect(await second).toBe("B");
});

describe("a batch that gathers", () => {
  const gather = { items: 3, ms: 5 };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return () => void vi.useRealTimers();
  });

  test("waits a while for others", async () => {
    const { submit, itemsOf } = heldBatch({ gather });
    void submit("a");
    await turn();
    void submit("b");
    vi.advanceTimersByTime(gather.ms - 1);
    await turn();
    expect(itemsOf()).toEqual([]);
    vi.advanceTimersByTime(1);
    await turn();
    expect(itemsOf()).toEqual([["a", "b"]]);
  });

  test("begins once it has enough, with all that came in the same turn", async () => {
    const { submit, answer, itemsOf } = heldBatch({ gather });
    void submit("a");
    await turn();
    for (const item of ["b", "c", "d"]) void submit(item);
    await turn();
    expect(itemsOf()).toEqual([["a", "b", "c", "d"]]);
    for (const item of ["e", "f", "g"]) void submit(item);
    answer(0);
    await turn();
    expect(itemsOf().slice(1)).toEqual([["e", "f", "g"]]);
  });

  test("waits for nobody where it is hurried, and again after that", async () => {
    const { submit, answer, itemsOf } = heldBatch({ gather });
    submit.hurry();
    void submit("a");
    await turn();
    expect(itemsOf()).toEqual([]);
    submit.hurry();
    await turn();
    expect(itemsOf()).toEqual([["a"]]);
    void submit("b");
    submit.hurry();
    answer(0);
    await turn();
    expect(itemsOf().slice(1)).toEqual([["b"]]);
    void submit("c");
    answer(1);
    await turn();
    expect(itemsOf().slice(2)).toEqual([]);
  });
});

test("a batch that takes too long is not waited for by the next, and still answers", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { submit, answer, itemsOf } = heldBatch({ patienceMs: 100 });
  const slow = submit("slow");
  await turn();
  const next = submit("next");
  await vi.advanceTimersByTimeAsync(99);
  await turn();
  expect(itemsOf()).toEqual([["slow"]]);
  await vi.advanceTimersByTimeAsync(1);
  await turn();
  expect(itemsOf()).toEqual([["slow"], ["next"]]);
  for (const run of [1, 0]) answer(run);
  expect(await Promise.all([slow, next])).toEqual(["SLOW", "NEXT"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("no batch is larger than its limit", async () => {
  const sizes: number[] = [];
  const submit = createBatch<number, number>({
    run: async (items) => {
      sizes.push(items.length);
      return items;
    },
    limit: 3,
    isolates: () => false,
  });
  const numbers = Array.from({ length: 8 }, (_, index) => index);
  expect(await Promise.all(numbers.map((number) => submit(number)))).toEqual(numbers);
  expect(sizes).toEqual([3, 3, 2]);
});

/** Submits four items in one batch, of which `bad` is refused by the run. */
async function outcomesWithBadItem(isolates: (error: unknown) => boolean) {
  const batches: string[][] = [];
  const refusal = new Error("bad item");
  const submit = createBatch<string, string>({
    run: async (items) => {
      batches.push([...items]);
      if (items.includes("bad")) throw refusal;
      return items;
    },
    limit: 10,
    isolates,
  });
  const outcomes = await Promise.allSettled(["w", "x", "bad", "y"].map(submit));
  return { outcomes, batches, refusal };
}

test("in a failing batch that isolates, the bad item fails alone", async () => {
  const { outcomes, batches, refusal } = await outcomesWithBadItem(
    (error) => error instanceof Error && error.message === "bad item",
  );
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "w" },
    { status: "fulfilled", value: "x" },
    { status: "rejected", reason: refusal },
    { status: "fulfilled", value: "y" },
  ]);
  expect(batches).toEqual([["w", "x", "bad", "y"], ["w"], ["x"], ["bad"], ["y"]]);
});

test("a failing batch that does not isolate fails all its items, and is not run again", async () => {
  const { outcomes, batches, refusal } = await outcomesWithBadItem(() => false);
  expect(outcomes).toEqual([
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
  ]);
  expect(batches).toEqual([["w", "x", "bad", "y"]]);
});

test("a failure leaves the batch ready for what comes after it", async () => {
  const { submit, runs, answer } = heldBatch();
  const failing = submit("a");
  await turn();
  const next = submit("b");
  runs[0]?.end.reject(new Error("down"));
  await expect(failing).rejects.toThrow("down");
  await expect.poll(() => runs.length).toBe(2);
  answer(1);
  expect(await next).toBe("B");
});

test("a run that does not answer every item fails them", async () => {
  const { submit, runs } = heldBatch();
  const item = submit("a");
  await turn();
  runs[0]?.end.resolve([]);
  await expect(item).rejects.toThrow("answers every item");
});
