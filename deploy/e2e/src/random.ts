import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A seeded random generator. The same seed and the same calls return the same values. */
export interface SeededRandom {
  /** Returns an integer between `from` and `to`, both inclusive. */
  integer(from: number, to: number): number;
  /** Returns true with a probability of `share` percent. */
  percent(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/**
 * Creates the generator of one element of a run, such as request 17. It does not depend on other
 * elements, so the order in which they run does not matter.
 */
export function randomOf(seed: number, topic: string, index = 0): SeededRandom {
  const generator = xoroshiro128plus(hash(`${seed} ${topic} ${index}`));
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  return {
    integer,
    percent: (share) => integer(1, 100) <= share,
    pick: (list) => list[integer(0, list.length - 1)] as (typeof list)[number],
  };
}

/** FNV-1a: it maps adjacent seeds to distant values. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}

/** Returns a UUID that the seed determines. */
export function uuidOf(seed: number, index: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return `${hex(seed >>> 0, 8)}-0000-4000-8000-${hex(index, 12)}`;
}
