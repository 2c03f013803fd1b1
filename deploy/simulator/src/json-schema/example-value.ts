import { isDeepStrictEqual } from "node:util";
import { allowsNumber, exampleNumber } from "./example-number.ts";
import { allowsString, exampleString } from "./example-string.ts";
import { harmlessCommand, isCommand, missingPaths, type Paths } from "./harmless-words.ts";
import type { MergedSchema } from "./merge.ts";
import { typeOf } from "./schema.ts";
import { isRepeatedSchema, type Place, simplify } from "./simplify.ts";

/** The number of schemas that one example reads; what remains is null. */
const maxSchemas = 20_000;

/** Arrays and objects nested deeper than this are as small as their schemas allow. */
const maxDepth = 8;

/** Values nested deeper than this are null. */
const depthLimit = 64;

const maxItems = 1_000;

/**
 * Returns a small value that matches a JSON schema, and does no harm as an argument of an agent's
 * tool: properties that are paths, by their name, are `paths`. An object has its required
 * properties; one whose schema has no `required` has all. Equal schemas produce equal values. A
 * schema that nothing matches produces null. Conditions (`if`, `not`, `dependentSchemas`),
 * `contains`, `unevaluated…` and references to other documents or to anchors are not supported.
 */
export function exampleOf(schema: unknown, paths: Paths = missingPaths): unknown {
  const place = { root: schema, open: [], budget: { left: maxSchemas } };
  return exampleAt(schema, { place, paths, depth: 0, name: "", nth: 0 });
}

interface Position {
  readonly place: Place;
  readonly paths: Paths;
  readonly depth: number;
  /** The name of the nearest property. */
  readonly name: string;
  /** Examples with different numbers differ, if the schema allows that. */
  readonly nth: number;
}

function exampleAt(raw: unknown, position: Position): unknown {
  const simplified = position.depth > depthLimit ? undefined : simplify(raw, position.place);
  if (simplified === undefined) return null;
  const { schema, place } = simplified;
  const given = givenValue(schema, position);
  return given === undefined ? exampleOfType(schema, { ...position, place }) : given;
}

/** Returns the value that the schema itself names, if it does: a constant, a default, an example. */
function givenValue(schema: MergedSchema, { name, nth }: Position): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) {
    const allowed = schema.enum.filter((value) => hasType(schema, value));
    return allowed.length === 0 ? schema.enum[0] : allowed[nth % allowed.length];
  }
  if (isCommand(name) && allowsString(schema, harmlessCommand)) return undefined;
  const values = [schema.default, ...(schema.examples ?? [])].filter((value) =>
    isAllowed(schema, value),
  );
  const distinct = values.filter(
    (value, at) => values.findIndex((one) => isDeepStrictEqual(one, value)) === at,
  );
  return distinct[nth];
}

function isAllowed(schema: MergedSchema, value: unknown): boolean {
  if (value === undefined || !hasType(schema, value)) return false;
  if (typeof value === "string") return allowsString(schema, value);
  const isInteger = schema.type?.includes("integer") ?? false;
  return typeof value !== "number" || allowsNumber(schema, isInteger, value);
}

function hasType({ type }: MergedSchema, value: unknown): boolean {
  if (type === undefined) return true;
  return type.some((one) => {
    if (one === "null") return value === null;
    if (one === "array") return Array.isArray(value);
    if (one === "integer") return Number.isInteger(value);
    if (one === "object") return isObject(value);
    return typeof value === one;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function exampleOfType(schema: MergedSchema, position: Position): unknown {
  switch (typeOf(schema)) {
    case "object":
      return exampleObject(schema, position);
    case "array":
      return exampleArray(schema, position);
    case "integer":
      return exampleNumber(schema, true, position.nth);
    case "number":
      return exampleNumber(schema, false, position.nth);
    case "boolean":
      return position.nth % 2 === 0;
    case "null":
      return null;
    default:
      return exampleString(schema, position);
  }
}

function exampleArray(schema: MergedSchema, position: Position): unknown[] {
  const { items, minItems = 0, maxItems: most = maxItems } = schema;
  // Drafts before 2020-12 write a tuple as an array of items.
  const isTuple = Array.isArray(items);
  const prefix: readonly unknown[] = isTuple ? items : (schema.prefixItems ?? []);
  const rest = isTuple ? schema.additionalItems : items;
  const isWanted = prefix.length === 0 && rest !== undefined && mayGrow(rest, position);
  const wanted = Math.max(minItems, prefix.length, isWanted ? 1 : 0);
  const canHold = rest === false ? prefix.length : maxItems;
  return Array.from({ length: Math.min(wanted, most, canHold, maxItems) }, (_, at) => {
    const nth = position.nth + at - (at < prefix.length ? at : prefix.length);
    const item = at < prefix.length ? prefix[at] : (rest ?? true);
    return exampleAt(item, { ...position, depth: position.depth + 1, nth });
  });
}

function exampleObject(schema: MergedSchema, position: Position): object {
  const { properties = {}, required, minProperties = 0 } = schema;
  const { maxProperties = Number.POSITIVE_INFINITY } = schema;
  const values = new Map<string, unknown>();
  const add = (name: string, raw: unknown, nth: number) => {
    values.set(name, exampleAt(raw, { ...position, depth: position.depth + 1, name, nth }));
  };
  for (const name of required ?? []) add(name, schemaOf(schema, name), position.nth);
  for (const [name, raw] of Object.entries(properties)) {
    const isDue = required === undefined && raw !== false && mayGrow(raw, position);
    const isWanted = values.size < minProperties || (isDue && values.size < maxProperties);
    if (!values.has(name) && isWanted) add(name, raw, position.nth);
  }
  const least = Math.max(minProperties, isMap(schema, position) ? 1 : 0);
  for (let nth = 0; values.size < Math.min(least, maxProperties) && nth < maxItems; nth += 1) {
    const name = additionalName(schema, position, nth);
    if (!values.has(name)) add(name, schemaOf(schema, name), nth);
  }
  return Object.fromEntries(values);
}

/** Returns whether an object is a map, of which one entry is shown. */
function isMap(schema: MergedSchema, position: Position): boolean {
  const { properties, required, additionalProperties } = schema;
  if (properties !== undefined || required !== undefined) return false;
  return isObject(additionalProperties) && mayGrow(additionalProperties, position);
}

/** Returns whether an optional part is shown: not below itself, and not too deep. */
function mayGrow(raw: unknown, { place, depth }: Position): boolean {
  return depth < maxDepth && raw !== false && !isRepeatedSchema(raw, place);
}

function schemaOf(schema: MergedSchema, name: string): unknown {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  const matching = Object.entries(patternProperties).find(([pattern]) =>
    allowsString({ pattern }, name),
  );
  return matching === undefined ? additionalProperties : matching[1];
}

function additionalName(schema: MergedSchema, position: Position, nth: number): string {
  const [pattern] = Object.keys(schema.patternProperties ?? {});
  const isClosed = schema.additionalProperties === false && pattern !== undefined;
  const names = isClosed ? { type: "string", pattern } : (schema.propertyNames ?? true);
  return String(exampleAt(names, { ...position, name: "", nth }));
}
