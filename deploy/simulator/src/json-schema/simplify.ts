import { type MergedSchema, merge } from "./merge.ts";
import { readSchema } from "./schema.ts";

/** A position in a document of schemas. */
export interface Place {
  /** The whole document, which local references point into. */
  readonly root: unknown;
  /** The references that lead here, outermost first. */
  readonly open: readonly string[];
  /** Counts down, so that every schema ends, however its references multiply. */
  readonly budget: { left: number };
}

export interface Simplified {
  readonly schema: MergedSchema;
  readonly place: Place;
}

/** More nested references than this end in a schema that nothing matches. */
const maxOpenReferences = 64;

/**
 * Resolves `$ref` and merges `allOf` and one variant of `anyOf` and `oneOf` into one schema. A
 * variant that repeats an open reference, or allows null only, is chosen when no other fits.
 * Undefined when no value matches, or the budget is used up.
 */
export function simplify(raw: unknown, place: Place): Simplified | undefined {
  place.budget.left -= 1;
  const read = place.budget.left < 0 ? undefined : readSchema(raw);
  if (read === undefined) return undefined;
  const { $ref, allOf = [], anyOf, oneOf, ...own } = read;
  let merged: Simplified | undefined = { schema: own, place };
  if ($ref !== undefined) merged = follow($ref, merged);
  for (const part of allOf) merged = merged && mergeWith(merged, part);
  for (const variants of [anyOf, oneOf]) {
    if (variants !== undefined) merged = merged && mergeWithOneOf(merged, variants);
  }
  return merged;
}

/** Returns whether a schema is a reference that is followed already. */
export function isRepeatedSchema(raw: unknown, { open }: Place): boolean {
  const $ref = readSchema(raw)?.$ref;
  return $ref !== undefined && open.includes($ref);
}

function follow($ref: string, base: Simplified): Simplified | undefined {
  const { place } = base;
  if (place.open.length >= maxOpenReferences) return undefined;
  const opened = { ...place, open: [...place.open, $ref] };
  return mergeWith({ schema: base.schema, place: opened }, targetOf($ref, place.root));
}

function mergeWith(base: Simplified, raw: unknown): Simplified | undefined {
  const part = simplify(raw, base.place);
  const schema = part && merge(base.schema, part.schema);
  return schema && { schema, place: part.place };
}

function mergeWithOneOf(base: Simplified, variants: readonly unknown[]): Simplified | undefined {
  const rank = (variant: unknown) => {
    if (isRepeatedSchema(variant, base.place)) return 2;
    return readSchema(variant)?.type?.every((type) => type === "null") ? 1 : 0;
  };
  for (const variant of variants.toSorted((one, other) => rank(one) - rank(other))) {
    const merged = mergeWith(base, variant);
    if (merged !== undefined) return merged;
  }
  return undefined;
}

/** Returns what a local reference such as `#/$defs/node` points at. */
function targetOf($ref: string, root: unknown): unknown {
  const [, pointer] = /^#((?:\/.*)?)$/s.exec($ref) ?? [];
  if (pointer === undefined) return undefined;
  let target = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = decodeStep(step);
    const isOwn = typeof target === "object" && target !== null && Object.hasOwn(target, name);
    if (!isOwn) return undefined;
    target = (target as Readonly<Record<string, unknown>>)[name];
  }
  return target;
}

function decodeStep(step: string): string {
  const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
