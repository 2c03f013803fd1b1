/**
 * Group commit: one batch is under way at a time, and what arrives meanwhile goes into the next.
 * Under no load an item goes out alone, at the end of the event loop's turn that brought it; under
 * load the batches grow, the more so where they gather for `gatherMs` after one of several items.
 *
 * `run` answers one result an item, in order, and at most `limit` items go in a batch. When a batch
 * of several fails for a reason that `isolates` blames on one of them, its items are run one by
 * one, so that the bad item fails alone.
 */
export function createBatch<Item, Result>(options: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  limit: number;
  /** Default 0: then nobody waits for others. */
  gatherMs?: number;
  isolates: (error: unknown) => boolean;
}): (item: Item) => Promise<Result> {
  const { run, limit, gatherMs = 0, isolates } = options;
  const waiting: Waiter<Item, Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      await turnOfLoop();
      const batch = waiting.splice(0, limit);
      await settle(batch, run, isolates);
      if (gatherMs > 0 && batch.length > 1) await pause(gatherMs);
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
    });
}

/** Everything that this turn of the event loop brings is in the batch that starts after it. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Waiter<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

async function settle<Item, Result>(
  batch: readonly Waiter<Item, Result>[],
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  isolates: (error: unknown) => boolean,
): Promise<void> {
  try {
    const results = await run(batch.map((waiter) => waiter.item));
    if (results.length !== batch.length) throw new Error("a batch answers every item");
    batch.forEach((waiter, index) => {
      waiter.resolve(results[index] as Result);
    });
  } catch (error) {
    if (batch.length > 1 && isolates(error)) {
      for (const waiter of batch) await settle([waiter], run, isolates);
      return;
    }
    for (const waiter of batch) waiter.reject(error);
  }
}
