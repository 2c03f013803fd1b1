import fc from "fast-check";
import { expect, test } from "vitest";
import { createRoster, type Listed } from "./indexed-set.ts";

test("a roster holds what was added and not removed, like a set", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9))), (steps) => {
      const items = Array.from({ length: 10 }, (): Listed => ({ index: -1 }));
      const roster = createRoster();
      const set = new Set<Listed>();
      for (const [adds, index] of steps) {
        const item = items[index] as Listed;
        if (adds && !set.has(item)) {
          roster.add(item);
          set.add(item);
        }
        if (!adds) {
          roster.remove(item);
          set.delete(item);
        }
        expect(new Set(roster.filter(() => true))).toEqual(set);
        expect(roster.size()).toBe(set.size);
      }
    }),
  );
});
