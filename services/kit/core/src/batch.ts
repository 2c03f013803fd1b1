/** Takes an item into a batch, and answers its result. */
export interface Batch<Item, Result> {
  (item: Item): Promise<Result>;
  /** Somebody waits for the items that are in: they are not kept for others to come. */
  hurry(): void;
}

/**
 * Group commit: one batch is under way at a time, and what arrives meanwhile goes into the next.
 * Under no load an item goes out alone, at the end of the event loop's turn that brought it, unless
 * batches are to gather.
 *
 * `run` answers one result an item, in order, and at most `limit` items go in a batch. When a batch
 * of several fails for a reason that `isolates` blames on one of them, its items are run one by
 * one, so that the bad item fails alone.
 */
export function createBatch<Item, Result>(options: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  limit: number;
  /** Where set, a batch waits for so many items, but no longer than so long. */
  gather?: { items: number; ms: number };
  /** Where set, a batch that takes longer keeps those after it waiting no more. */
  patienceMs?: number;
  isolates: (error: unknown) => boolean;
}): Batch<Item, Result> {
  const { run, limit, gather, patienceMs, isolates } = options;
  const waiting: Waiter<Item, Result>[] = [];
  let running = false;
  let hurried = false;
  /** Ends the gathering that is under way. */
  let begin = () => {};

  const hasEnough = () => gather === undefined || hurried || waiting.length >= gather.items;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      await turnOfLoop();
      if (gather !== undefined && !hasEnough()) {
        await gathered(gather.ms);
        await turnOfLoop();
      }
      hurried = false;
      const settled = settle(waiting.splice(0, limit), run, isolates);
      await (patienceMs === undefined ? settled : noLonger(settled, patienceMs));
    }
    running = false;
  }

  function gathered(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      begin = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
      else if (hasEnough()) begin();
    });
  }

  function hurry(): void {
    if (waiting.length === 0) return;
    hurried = true;
    begin();
  }

  return Object.assign(submit, { hurry });
}

/** Everything that this turn of the event loop brings is in the batch that starts after it. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function noLonger(settled: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void settled.then(() => {
      clearTimeout(timer);
      resolve();
    });
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
