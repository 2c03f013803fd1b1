/**
 * Returns a function that collects the items of one turn of the event loop, at most `limit`, and
 * calls `run` once with them. No batch waits for another, so a slow one delays none. Each item
 * resolves or rejects with the result of its batch.
 */
export function createTickBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result>,
  limit: number,
): (item: Item) => Promise<Result> {
  let open: { items: Item[]; result: Promise<Result> } | undefined;

  function start(item: Item): Promise<Result> {
    const items = [item];
    const result = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.items === items) open = undefined;
      return run(items);
    });
    open = { items, result };
    return result;
  }

  return (item) => {
    if (open === undefined || open.items.length >= limit) return start(item);
    open.items.push(item);
    return open.result;
  };
}
