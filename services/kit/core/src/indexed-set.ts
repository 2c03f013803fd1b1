/** An item that can be in an IndexedSet. */
export interface Indexed {
  /** Its position in the set; -1 while it is in none. */
  index: number;
}

/**
 * An unordered set for thousands of short-lived items, in one array without gaps. A Set allocates a
 * new table every so often. The old table refers to the new one and to the items of its time, so that
 * all of them stay in memory until V8 marks the whole heap, once one table is in the old generation.
 */
export interface IndexedSet<Item extends Indexed> {
  add(item: Item): void;
  /** Does nothing when the item is not in the set. */
  remove(item: Item): void;
  size(): number;
  /** Returns the items now in the set. */
  all(): Item[];
  filter(predicate: (item: Item) => boolean): Item[];
}

export function createIndexedSet<Item extends Indexed>(): IndexedSet<Item> {
  const items: Item[] = [];
  return {
    add(item) {
      item.index = items.length;
      items.push(item);
    },
    remove(item) {
      if (item.index < 0) return;
      const last = items.pop();
      if (last !== undefined && last !== item) {
        items[item.index] = last;
        last.index = item.index;
      }
      item.index = -1;
    },
    size: () => items.length,
    all: () => [...items],
    filter: (predicate) => items.filter(predicate),
  };
}
