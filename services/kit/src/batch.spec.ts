import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";

/** A batch whose runs are ended by hand. */
function heldBatch(options: { limit?: number; isolates?: (error: unknown) => boolean } = {}) {
  const runs: { items: readonly string[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const submit = createBatch<string, string>({
    run: (items) => {
      const end = Promise.withResolvers<readonly string[]>();
      runs.push({ items, end });
      return end.promise;
    },
    limit: options.limit ?? 100,
    isolates: options.isolates ?? (() => false),
  });
  /** Ends a run with one answer an item. */
  const answer = (index: number) => {
    const run = runs[index];
    run?.end.resolve(run.items.map((item) => item.toUpperCase()));
  };
  const itemsOf = () => runs.map(({ items }) => items);
  return { submit, runs, answer, itemsOf };
}

test("an item goes out alone and at once when nothing is under way", () => {
  const { submit, itemsOf } = heldBatch();
  void submit("a");
  expect(itemsOf()).toEqual([["a"]]);
});

test("one batch runs at a time, and what arrives meanwhile goes into the next", async () => {
  const { submit, answer, itemsOf } = heldBatch();
  const first = submit("a");
  const others = [submit("b"), submit("c")];
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
  answer(0);
  await first;
  const second = submit("b");
  await expect.poll(itemsOf).toEqual([["a"], ["b"]]);
  answer(1);
  expect(await second).toBe("B");
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
  expect(sizes).toEqual([1, 3, 3, 1]);
});

/** Submits a lone item, then three in one batch of which `bad` is refused by the run. */
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
  const outcomes = await Promise.allSettled(["first", "x", "bad", "y"].map(submit));
  return { outcomes, batches, refusal };
}

test("in a failing batch that isolates, the bad item fails alone", async () => {
  const { outcomes, batches, refusal } = await outcomesWithBadItem(
    (error) => error instanceof Error && error.message === "bad item",
  );
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "first" },
    { status: "fulfilled", value: "x" },
    { status: "rejected", reason: refusal },
    { status: "fulfilled", value: "y" },
  ]);
  expect(batches).toEqual([["first"], ["x", "bad", "y"], ["x"], ["bad"], ["y"]]);
});

test("a failing batch that does not isolate fails all its items, and is not run again", async () => {
  const { outcomes, batches, refusal } = await outcomesWithBadItem(() => false);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "first" },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
  ]);
  expect(batches).toEqual([["first"], ["x", "bad", "y"]]);
});

test("a failure leaves the batch ready for what comes after it", async () => {
  const { submit, runs, answer } = heldBatch();
  const failing = submit("a");
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
  runs[0]?.end.resolve([]);
  await expect(item).rejects.toThrow("answers every item");
});
