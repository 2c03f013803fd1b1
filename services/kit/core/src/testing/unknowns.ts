import { isJsonObject, type JsonObject } from "../json.ts";

/** What a provider may add to its responses at any time. The same seed returns the same. */
export interface Unknowns {
  /**
   * Returns a copy of a response, or of an event of one, with unknown members in its objects and unknown
   * items in its lists of objects.
   */
  addTo<T>(value: T): T;
  /** Returns a list of events with unknown ones among them, which `eventOf` creates. */
  among<T>(events: readonly T[], eventOf: (name: string, value: JsonObject) => T): T[];
  /** Returns how many unknowns have been added. */
  added(): number;
}

/** What is not changed. */
export interface LeftAlone {
  /** The members whose values the model writes freely, such as the arguments of a call. */
  free?: readonly string[];
  /** The lists that get no items, such as the choices of a completion. */
  lists?: readonly string[];
}

const names = ["new_member", "addedDetails", "x-trace", "beta", "$schema2", "reserved_17"];
const kinds = ["new_kind", "newKind", "new.kind", "beta-kind"];

/** Creates what a provider adds, by a seed. Half of the places get something. */
export function createUnknowns(seed: number, { free = [], lists = [] }: LeftAlone = {}): Unknowns {
  const random = mulberry32(seed);
  const integer = (below: number) => Math.floor(random() * below);
  const pick = <T>(list: readonly T[]): T => list[integer(list.length)] as T;
  const isChosen = () => random() < 0.5;
  let added = 0;

  function unknownValue(): unknown {
    const values = [null, true, 17, "text", [], {}, [1, "a"], { type: pick(kinds), a: { b: 1 } }];
    return pick([...values, [{ type: pick(kinds) }]]);
  }

  function unknownItem(siblings: readonly JsonObject[]): JsonObject {
    const isTyped = siblings.some(({ type }) => typeof type === "string");
    return { ...(isTyped ? { type: pick(kinds) } : {}), [pick(names)]: unknownValue() };
  }

  function insertInto<T>(list: readonly T[], create: () => T): T[] {
    const inserted: T[] = [];
    for (const item of list) {
      if (isChosen()) inserted.push(create());
      inserted.push(item);
    }
    if (isChosen()) inserted.push(create());
    added += inserted.length - list.length;
    return inserted;
  }

  function addTo(value: unknown, isClosed = false): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => addTo(item));
      const objects = value.filter(isJsonObject);
      if (objects.length === 0 || isClosed) return items;
      return insertInto(items, () => unknownItem(objects));
    }
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => {
      return [name, free.includes(name) ? member : addTo(member, lists.includes(name))] as const;
    });
    const more = isChosen() ? [[pick(names), unknownValue()] as const] : [];
    added += more.length;
    return Object.fromEntries(isChosen() ? [...more, ...members] : [...members, ...more]);
  }

  return {
    addTo: <T>(value: T) => addTo(value) as T,
    among: (events, eventOf) =>
      insertInto(events, () => eventOf(pick(kinds), { [pick(names)]: unknownValue() })),
    added: () => added,
  };
}

/** Returns a generator of numbers from 0 to 1, by a seed. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
