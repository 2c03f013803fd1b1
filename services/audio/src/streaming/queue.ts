import { createSignal } from "@tollgate/core/signal";

/** Items that are pushed by events and read by a loop. */
export interface Queue<Item> {
  /** Adds an item of `bytes`. */
  push(item: Item, bytes?: number): void;
  /** Ends the loop after the items pushed before. The loop then throws `failure`, if it is set. */
  end(failure?: Error): void;
  items: AsyncIterable<Item>;
}

/**
 * Creates a queue for one reader that pauses its source. `onFull` is called when `limit` items are
 * unread, or when `maxBytes` have been pushed since the queue was last empty. `onEmpty` is called
 * after that, when the reader has taken all.
 */
export function createQueue<Item>(options: {
  limit: number;
  maxBytes?: number;
  onFull(): void;
  onEmpty(): void;
}): Queue<Item> {
  const { limit, maxBytes = Number.POSITIVE_INFINITY } = options;
  const unread: Item[] = [];
  const changed = createSignal();
  let unreadBytes = 0;
  let isFull = false;
  let ended: { failure: Error | undefined } | undefined;

  function take(): Item | undefined {
    const item = unread.shift();
    if (unread.length > 0) return item;
    unreadBytes = 0;
    if (isFull) {
      isFull = false;
      options.onEmpty();
    }
    return item;
  }

  async function* read(): AsyncGenerator<Item> {
    for (;;) {
      while (unread.length > 0) yield take() as Item;
      if (ended !== undefined) break;
      await changed.wait();
    }
    if (ended.failure !== undefined) throw ended.failure;
  }

  return {
    push(item, bytes = 0) {
      unread.push(item);
      unreadBytes += bytes;
      if ((unread.length >= limit || unreadBytes >= maxBytes) && !isFull) {
        isFull = true;
        options.onFull();
      }
      changed.notify();
    },
    end(failure) {
      ended ??= { failure };
      changed.notify();
    },
    items: read(),
  };
}
