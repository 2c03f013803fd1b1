import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** What a seed decides. The same seed and the same calls give the same answers. */
export interface Random {
  /** Both ends included. */
  whole(from: number, to: number): number;
  /** True in so many of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/**
 * The randomness of one thing in a run: request 17, say, gets the same whatever came before it, and
 * however many run at once.
 */
export function randomOf(seed: number, topic: string, index = 0): Random {
  const generator = xoroshiro128plus(hash(`${seed} ${topic} ${index}`));
  const whole = (from: number, to: number) => uniformInt(generator, from, to);
  return {
    whole,
    percent: (share) => whole(1, 100) <= share,
    pick: (list) => list[whole(0, list.length - 1)] as (typeof list)[number],
  };
}

/** FNV-1a, which spreads seeds that lie side by side. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}

/** A UUID that the seed decides. */
export function uuidOf(seed: number, index: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return `${hex(seed >>> 0, 8)}-0000-4000-8000-${hex(index, 12)}`;
}
