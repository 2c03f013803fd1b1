/** Items that come by events, read by a loop. */
export interface Queue<Item> {
  push(item: Item): void;
  /** Ends the loop once it has read what came before; with a failure, by raising it. */
  end(failure?: Error): void;
  items: AsyncIterable<Item>;
}

/**
 * A queue that tells its source to wait: `onFull` is called when `limit` items are unread, and
 * `onEmpty` when all of them have been read again. For one reader.
 */
export function createQueue<Item>(options: {
  limit: number;
  onFull(): void;
  onEmpty(): void;
}): Queue<Item> {
  const unread: Item[] = [];
  let isFull = false;
  let ended: { failure: Error | undefined } | undefined;
  let wake = () => {};

  function take(): Item | undefined {
    const item = unread.shift();
    if (unread.length === 0 && isFull) {
      isFull = false;
      options.onEmpty();
    }
    return item;
  }

  async function* read(): AsyncGenerator<Item> {
    for (;;) {
      while (unread.length > 0) yield take() as Item;
      if (ended !== undefined) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (ended.failure !== undefined) throw ended.failure;
  }

  return {
    push(item) {
      unread.push(item);
      if (unread.length >= options.limit && !isFull) {
        isFull = true;
        options.onFull();
      }
      wake();
    },
    end(failure) {
      ended ??= { failure };
      wake();
    },
    items: read(),
  };
}
