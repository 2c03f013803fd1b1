import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createBatch } from "./batch.ts";

/** A batch whose runs the test ends. */
function heldBatch(
  options: { limit?: number; gather?: { items: number; ms: number }; timeoutMs?: number } = {},
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
  /** Ends a run with one result per item. */
  const end = (index: number) => {
    const run = runs[index];
    run?.end.resolve(run.items.map((item) => item.toUpperCase()));
  };
  const itemsOf = () => runs.map(({ items }) => items);
  return { submit, runs, end, itemsOf };
}

/** Resolves when the event loop has run all that was due. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("an item runs alone and at once when no batch runs", async () => {
  const { submit, itemsOf } = heldBatch();
  void submit("a");
  await turn();
  expect(itemsOf()).toEqual([["a"]]);
});

test("items of one turn of the event loop run together", async () => {
  const { submit, itemsOf } = heldBatch();
  for (const item of ["a", "b", "c"]) void submit(item);
  await turn();
  expect(itemsOf()).toEqual([["a", "b", "c"]]);
});

test("one batch runs at a time, and items that arrive meanwhile go into the next", async () => {
  const { submit, end, itemsOf } = heldBatch();
  const first = submit("a");
  await turn();
  const others = [submit("b"), submit("c")];
  await turn();
  expect(itemsOf()).toEqual([["a"]]);
  end(0);
  expect(await first).toBe("A");
  await expect.poll(itemsOf).toEqual([["a"], ["b", "c"]]);
  end(1);
  expect(await Promise.all(others)).toEqual(["B", "C"]);
});

test("after a batch the next item starts another", async () => {
  const { submit, end, itemsOf } = heldBatch();
  const first = submit("a");
  await turn();
  end(0);
  await first;
  const second = submit("b");
  await expect.poll(itemsOf).toEqual([["a"], ["b"]]);
  end(1);
  expect(await second).toBe("B");
});

describe("a batch that gathers", () => {
  const gather = { items: 3, ms: 5 };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return () => void vi.useRealTimers();
  });

  test("waits a limited time for more items", async () => {
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

  test("starts once it has enough, with all items of that turn", async () => {
    const { submit, end, itemsOf } = heldBatch({ gather });
    void submit("a");
    await turn();
    for (const item of ["b", "c", "d"]) void submit(item);
    await turn();
    expect(itemsOf()).toEqual([["a", "b", "c", "d"]]);
    for (const item of ["e", "f", "g"]) void submit(item);
    end(0);
    await turn();
    expect(itemsOf().slice(1)).toEqual([["e", "f", "g"]]);
  });

  test("starts at once when it is flushed, and waits again after that", async () => {
    const { submit, end, itemsOf } = heldBatch({ gather });
    submit.flush();
    void submit("a");
    await turn();
    expect(itemsOf()).toEqual([]);
    submit.flush();
    await turn();
    expect(itemsOf()).toEqual([["a"]]);
    void submit("b");
    submit.flush();
    end(0);
    await turn();
    expect(itemsOf().slice(1)).toEqual([["b"]]);
    void submit("c");
    end(1);
    await turn();
    expect(itemsOf().slice(2)).toEqual([]);
  });
});

test("a batch that exceeds the timeout does not delay the next, and still resolves", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { submit, end, itemsOf } = heldBatch({ timeoutMs: 100 });
  const slow = submit("slow");
  await turn();
  const next = submit("next");
  await vi.advanceTimersByTimeAsync(99);
  await turn();
  expect(itemsOf()).toEqual([["slow"]]);
  await vi.advanceTimersByTimeAsync(1);
  await turn();
  expect(itemsOf()).toEqual([["slow"], ["next"]]);
  for (const run of [1, 0]) end(run);
  expect(await Promise.all([slow, next])).toEqual(["SLOW", "NEXT"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("no batch is larger than the limit", async () => {
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

/** Submits four items in one batch whose run fails for `bad`. */
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

test("when a failing batch isolates, the bad item fails alone", async () => {
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

test("a failing batch that does not isolate fails all items and does not run again", async () => {
  const { outcomes, batches, refusal } = await outcomesWithBadItem(() => false);
  expect(outcomes).toEqual([
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
    { status: "rejected", reason: refusal },
  ]);
  expect(batches).toEqual([["w", "x", "bad", "y"]]);
});

test("after a failed batch the next one runs", async () => {
  const { submit, runs, end } = heldBatch();
  const failing = submit("a");
  await turn();
  const next = submit("b");
  runs[0]?.end.reject(new Error("down"));
  await expect(failing).rejects.toThrow("down");
  await expect.poll(() => runs.length).toBe(2);
  end(1);
  expect(await next).toBe("B");
});

test("a run that returns too few results fails its items", async () => {
  const { submit, runs } = heldBatch();
  const item = submit("a");
  await turn();
  runs[0]?.end.resolve([]);
  await expect(item).rejects.toThrow("one result per item");
});
