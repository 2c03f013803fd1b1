/** An item that can be in an IndexedSet. */
export interface Indexed {
  /** Its position in the set; -1 while it is in none. */
  index: number;
}

/**
 * An unordered set for thousands of short-lived items, in one array without gaps.
 *
 * A Set stores its items in a table, which it replaces now and then. The old table still refers to its
 * items and to the new table. Once V8 has moved one of them to the old generation, the items of all
 * later tables stay in memory as well, until V8 marks the whole heap.
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
