import type { SeededRandom } from "./random.ts";

/** Values at which parsers and validators go wrong. */
const numbers = [0, -0, 1, -1, 2, 0.5, 1.5, 128, 129, 4_096, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300];
const texts = [
  "",
  " ",
  "a",
  "auto",
  "user",
  "true",
  "null",
  "1024x1024",
  "\u0000",
  "\ud800",
  "ünï😀",
  "'; drop table wallets; --",
  "../../etc/passwd",
  "data:image/png;base64,AAAA",
  "https://example.invalid/a.png",
  "018f0000-0000-7000-8000-000000000000",
  "x".repeat(2_000),
];
const names = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "0",
  "type",
  "id",
  "name",
  "role",
  "function",
  "content",
  "unknown_member",
  "ключ",
];

/** Returns any JSON value, nested up to three deep. */
function randomJson(random: SeededRandom, depth: number = 0): unknown {
  const kind = random.integer(0, depth < 3 ? 7 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.percent(50);
  if (kind === 2) return random.pick(numbers);
  if (kind <= 4) return random.pick(texts);
  const length = random.integer(0, 3);
  const items = Array.from({ length }, () => randomJson(random, depth + 1));
  if (kind === 5) return items;
  return Object.fromEntries(items.map((item) => [random.pick(names), item]));
}

/**
 * Returns the value with one part changed: a member removed, added or replaced, an item repeated,
 * at any depth. The value itself stays as it is.
 */
export function mutate(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.percent(10)) return randomJson(random);
  if (Array.isArray(value)) return mutateItems(random, value);
  const entries = Object.entries(value);
  const at = random.integer(0, Math.max(0, entries.length - 1));
  const [name, inner] = entries[at] ?? [random.pick(names), null];
  const chosen = random.integer(0, 5);
  if (chosen === 0) return Object.fromEntries(entries.toSpliced(at, 1));
  if (chosen === 1) return Object.fromEntries([...entries, [random.pick(names), inner]]);
  return Object.fromEntries(entries.toSpliced(at, 1, [name, mutate(random, inner)]));
}

function mutateItems(random: SeededRandom, items: readonly unknown[]): unknown {
  if (items.length === 0 || random.percent(10)) return [...items, randomJson(random)];
  const at = random.integer(0, items.length - 1);
  if (random.percent(10)) return items.toSpliced(at, 1);
  if (random.percent(10)) return [...items, items[at]];
  return items.toSpliced(at, 1, mutate(random, items[at]));
}

const fragments = [
  "\u0000",
  "\ufeff",
  '"',
  "\\",
  "\\ud800",
  "{",
  "[",
  "]",
  ",",
  "1e999",
  "-",
  "NaN",
  '"model":1,',
  '"__proto__":{},',
  "[".repeat(5_000),
];

/** Returns the bytes with one place cut off, overwritten or with something inserted. */
export function corrupt(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.integer(0, bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const chosen = random.integer(0, 3);
  if (chosen === 0) return before;
  if (chosen === 1) return Buffer.concat([before, after.subarray(random.integer(1, 9))]);
  const inserted =
    chosen === 2 ? Buffer.from([random.integer(0, 255)]) : Buffer.from(random.pick(fragments));
  return Buffer.concat([before, inserted, after]);
}
