/**
 * Group commit without a timer: one batch is under way at a time, and what arrives meanwhile goes
 * into the next. Under no load an item goes out alone and at once; under load the batches grow.
 *
 * `run` answers one result an item, in order, and at most `limit` items go in a batch. When a batch
 * of several fails for a reason that `isolates` blames on one of them, its items are run one by
 * one, so that the bad item fails alone.
 */
export function createBatch<Item, Result>(options: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  limit: number;
  isolates: (error: unknown) => boolean;
}): (item: Item) => Promise<Result> {
  const { run, limit, isolates } = options;
  let waiting: Waiter<Item, Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      await settle(batch, run, isolates);
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
    });
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
