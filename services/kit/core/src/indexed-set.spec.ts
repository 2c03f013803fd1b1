import fc from "fast-check";
import { expect, test } from "vitest";
import { createIndexedSet, type Indexed } from "./indexed-set.ts";

test("an indexed set holds the items that were added and not removed", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9))), (steps) => {
      const items = Array.from({ length: 10 }, (): Indexed => ({ index: -1 }));
      const indexedSet = createIndexedSet();
      const set = new Set<Indexed>();
      for (const [adds, index] of steps) {
        const item = items[index] as Indexed;
        if (adds && !set.has(item)) {
          indexedSet.add(item);
          set.add(item);
        }
        if (!adds) {
          indexedSet.remove(item);
          set.delete(item);
        }
        expect(new Set(indexedSet.all())).toEqual(set);
        expect(indexedSet.size()).toBe(set.size);
      }
    }),
  );
});
