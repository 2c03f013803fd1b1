/** What can be on a roster: it knows its index there. */
export interface Listed {
  /** -1 while it is on none. */
  index: number;
}

/**
 * Things that come and go by the thousand, in no order. It fills the gaps of one list, where a Set
 * makes a new table every so often and leaves the old one behind: until the garbage collector's next
 * thorough round that keeps all that stood in it.
 */
export interface Roster<Item extends Listed> {
  add(item: Item): void;
  /** Nothing, where it is not on it. */
  remove(item: Item): void;
  size(): number;
  filter(wanted: (item: Item) => boolean): Item[];
}

export function createRoster<Item extends Listed>(): Roster<Item> {
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
    filter: (wanted) => items.filter(wanted),
  };
}
