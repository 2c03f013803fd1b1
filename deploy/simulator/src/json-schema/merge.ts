import { isDeepStrictEqual } from "node:util";
import type { Schema } from "./schema.ts";

/**
 * Returns a schema whose values match both schemas. Undefined when their types, constants or lists
 * of values exclude each other. Patterns remain apart, in `patterns`. Of two defaults, formats or
 * lists of examples, the first one remains.
 */
export function merge(one: MergedSchema, other: MergedSchema): MergedSchema | undefined {
  const type = commonTypes(one.type, other.type);
  const fixed = one.const === undefined ? other.const : one.const;
  const values = commonValues(one.enum, other.enum);
  if (type?.length === 0 || values?.length === 0) return undefined;
  if (other.const !== undefined && !isDeepStrictEqual(fixed, other.const)) return undefined;
  if (fixed !== undefined && values && !includes(values, fixed)) return undefined;
  return {
    ...other,
    ...definedIn(one),
    type,
    const: fixed,
    enum: values,
    ...strictestOf(one, other),
    patterns: [...patternsOf(one), ...patternsOf(other)],
    pattern: undefined,
    properties: mergedMaps(one.properties, other.properties),
    patternProperties: mergedMaps(one.patternProperties, other.patternProperties),
    required: mergedLists(one.required, other.required),
    items: both(one.items, other.items),
    propertyNames: both(one.propertyNames, other.propertyNames),
    additionalProperties: both(one.additionalProperties, other.additionalProperties),
  };
}

function definedIn(schema: MergedSchema): MergedSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

export interface MergedSchema extends Schema {
  readonly patterns?: readonly string[];
}

/** Returns every pattern that a string must match. */
export function patternsOf({ pattern, patterns = [] }: MergedSchema): readonly string[] {
  return pattern === undefined ? patterns : [...patterns, pattern];
}

function strictestOf(one: Schema, other: Schema) {
  return {
    minimum: highest(one.minimum, other.minimum),
    maximum: lowest(one.maximum, other.maximum),
    exclusiveMinimum: highestBound(one.exclusiveMinimum, other.exclusiveMinimum),
    exclusiveMaximum: lowestBound(one.exclusiveMaximum, other.exclusiveMaximum),
    multipleOf: commonMultiple(one.multipleOf, other.multipleOf),
    minLength: highest(one.minLength, other.minLength),
    maxLength: lowest(one.maxLength, other.maxLength),
    minItems: highest(one.minItems, other.minItems),
    maxItems: lowest(one.maxItems, other.maxItems),
    uniqueItems: one.uniqueItems || other.uniqueItems,
    minProperties: highest(one.minProperties, other.minProperties),
    maxProperties: lowest(one.maxProperties, other.maxProperties),
  };
}

function highest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function commonMultiple(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [larger, smaller] = [Math.max(one, other), Math.min(one, other)];
  return Number.isInteger(larger / smaller) ? larger : larger * smaller;
}

type Bound = number | boolean | undefined;

function highestBound(one: Bound, other: Bound): Bound {
  if (typeof one === "number" && typeof other === "number") return Math.max(one, other);
  return one || other;
}

function lowestBound(one: Bound, other: Bound): Bound {
  if (typeof one === "number" && typeof other === "number") return Math.min(one, other);
  return one || other;
}

function commonTypes(one: Schema["type"], other: Schema["type"]): Schema["type"] {
  if (one === undefined || other === undefined) return one ?? other;
  const allows = (types: readonly string[], type: string) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = [...one.filter((type) => allows(other, type))];
  return [...new Set([...common, ...other.filter((type) => allows(one, type))])];
}

function commonValues(one: Schema["enum"], other: Schema["enum"]): Schema["enum"] {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((value) => includes(other, value));
}

function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((one) => isDeepStrictEqual(one, value));
}

function mergedMaps(one: Schema["properties"], other: Schema["properties"]): Schema["properties"] {
  if (one === undefined || other === undefined) return one ?? other;
  const merged = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    merged.set(name, both(merged.get(name), schema));
  }
  return Object.fromEntries(merged);
}

function mergedLists(one: Schema["required"], other: Schema["required"]): Schema["required"] {
  if (one === undefined || other === undefined) return one ?? other;
  return [...new Set([...one, ...other])];
}

function both(one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  return { allOf: [one, other] };
}
