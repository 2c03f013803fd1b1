import { createSignal } from "./signal.ts";

/** Adds an item to a batch, and resolves with its result. */
export interface Batch<Item, Result> {
  (item: Item): Promise<Result>;
  /** Starts the batch of the items added so far without waiting for more of them. */
  flush(): void;
}

/**
 * Commits items in groups: one batch runs at a time, and items that arrive meanwhile go into the
 * next. Without load, an item runs alone, at the end of the event loop's turn that added it, unless
 * `gather` is set.
 *
 * `run` resolves with one result per item, in order, and gets at most `limit` items. When a batch
 * of several fails with an error for which `isolates` is true, its items run one by one, so that
 * the bad item fails alone.
 */
export function createBatch<Item, Result>(options: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  limit: number;
  /** Makes a batch wait until it has `items`, at most `ms`. */
  gather?: { items: number; ms: number };
  /** Starts the next batch after `timeoutMs` although this one still runs. */
  timeoutMs?: number;
  isolates: (error: unknown) => boolean;
}): Batch<Item, Result> {
  const { run, limit, gather, timeoutMs, isolates } = options;
  const waiting: Waiter<Item, Result>[] = [];
  const gathered = createSignal();
  let isRunning = false;
  let isFlushed = false;

  const hasEnough = () => gather === undefined || isFlushed || waiting.length >= gather.items;

  async function drain(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      await endOfTurn();
      if (gather !== undefined && !hasEnough()) {
        await gathered.wait(gather.ms);
        await endOfTurn();
      }
      isFlushed = false;
      const settled = settle(waiting.splice(0, limit), run, isolates);
      await (timeoutMs === undefined ? settled : settledWithin(settled, timeoutMs));
    }
    isRunning = false;
  }

  function submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void drain();
      else if (hasEnough()) gathered.notify();
    });
  }

  function flush(): void {
    if (waiting.length === 0) return;
    isFlushed = true;
    gathered.notify();
  }

  return Object.assign(submit, { flush });
}

/** Resolves after this turn of the event loop: all that it adds is in the batch that starts then. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function settledWithin(settled: Promise<void>, timeoutMs: number): Promise<void> {
  const ended = createSignal();
  void settled.then(ended.notify);
  return ended.wait(timeoutMs);
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
    if (results.length !== batch.length) throw new Error("a batch returns one result per item");
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
