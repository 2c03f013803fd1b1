/**
 * Joins what one turn of the event loop brings, `limit` items at most, for one `run`. No batch
 * waits for another, so a slow one holds nothing up. Every item gets what its batch comes to.
 */
export function createTurnBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result>,
  limit: number,
): (item: Item) => Promise<Result> {
  let gathering: { items: Item[]; result: Promise<Result> } | undefined;

  function begin(item: Item): Promise<Result> {
    const items = [item];
    const result = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (gathering?.items === items) gathering = undefined;
      return run(items);
    });
    gathering = { items, result };
    return result;
  }

  return (item) => {
    if (gathering === undefined || gathering.items.length >= limit) return begin(item);
    gathering.items.push(item);
    return gathering.result;
  };
}
