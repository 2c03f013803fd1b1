import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";

/**
 * Returns what the gateway reads of a value of a provider, without all else; undefined where the value is
 * not of the shape. A package refuses a whole response for one member that its schema does not expect, so
 * it is given what is read of the response only.
 */
export type Shape = (value: unknown) => unknown;

/** The shapes of an object's members. */
export type MemberShapes = Readonly<Record<string, Shape>>;

export const asText: Shape = (value) => (typeof value === "string" ? value : undefined);
export const asNumber: Shape = (value) => (typeof value === "number" ? value : undefined);
/** A count may be text. */
export const asCount: Shape = (value) => {
  if (Number.isInteger(value) && Number(value) >= 0) return value;
  const count = readCount(value);
  return count === undefined ? undefined : Number(count);
};
export const asFlag: Shape = (value) => (typeof value === "boolean" ? value : undefined);
export const asAny: Shape = (value) => value ?? undefined;

/** Returns the shape of one value. */
export function only(expected: string): Shape {
  return (value) => (value === expected ? value : undefined);
}

/**
 * Returns the shape of an object of which these members are read. It has all that are `required`, and one
 * at least.
 */
export function objectWith(shapes: MemberShapes, required: readonly string[] = []): Shape {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const read: JsonObject = {};
    let isEmpty = true;
    for (const [name, shape] of entries) {
      const member = shape(value[name]);
      if (member === undefined) continue;
      read[name] = member;
      isEmpty = false;
    }
    return isEmpty || !hasAll(read, required) ? undefined : read;
  };
}

function hasAll(read: JsonObject, required: readonly string[]): boolean {
  for (const name of required) if (read[name] === undefined) return false;
  return true;
}

/**
 * Returns the shape of an object that is kept as it is, but for these members where they are not of their
 * shapes. It has all that are `required`.
 */
export function objectKept(shapes: MemberShapes, required: readonly string[] = []): Shape {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    let read = value;
    for (const [name, shape] of entries) {
      const member = shape(value[name]);
      if (member === value[name]) continue;
      if (read === value) read = { ...value };
      if (member === undefined) delete read[name];
      else read[name] = member;
    }
    return hasAll(read, required) ? read : undefined;
  };
}

/** Returns the shape of a list, of which the items of this shape are read. */
export function listWith(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const read: unknown[] = [];
    for (const item of value) {
      const known = shape(item);
      if (known !== undefined) read.push(known);
    }
    return read;
  };
}

/** Returns a shape that is the first of these which a value has. */
export function eitherOf(...shapes: readonly Shape[]): Shape {
  return (value) => {
    for (const shape of shapes) {
      const read = shape(value);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

/** Returns a shape that every value has: one that is not of `shape` is read as `other`. */
export function orElse(shape: Shape, other: unknown): Shape {
  return (value) => shape(value) ?? other;
}

/** Returns the shape of objects that `type` names, by the shapes of their other members. */
export function byType(shapes: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(Object.entries(shapes));
  return (value) => {
    if (!isJsonObject(value) || typeof value.type !== "string") return undefined;
    const read = known.get(value.type)?.(value);
    return isJsonObject(read) ? { ...read, type: value.type } : undefined;
  };
}
