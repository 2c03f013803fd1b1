import { z } from "zod";

/**
 * Arrays and maps that stop at their first invalid element. A body may have millions of elements,
 * and zod reports every invalid one, which costs far more than the body itself; clients are sent
 * only the first. In JSON Schema these are plain arrays and objects.
 */

const FirstErrorArray = z.core.$constructor<z.ZodArray>("FirstErrorArray", (list, definition) => {
  z.ZodArray.init(list, definition);
  list._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value)) return addTypeIssue(payload, "array", list);
    for (let index = 0; index < value.length; index += 1) {
      if (addFirst(payload, index, issuesOf(definition.element, value[index], context))) break;
    }
    return payload;
  };
});

const FirstErrorRecord = z.core.$constructor<z.ZodRecord>("FirstErrorRecord", (map, definition) => {
  z.ZodRecord.init(map, definition);
  map._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!z.core.util.isPlainObject(value)) return addTypeIssue(payload, "record", map);
    for (const name of Object.keys(value)) {
      if (addFirst(payload, name, issuesOf(definition.valueType, value[name], context))) break;
    }
    return payload;
  };
});

/** Returns the schema of an array. The elements are validated, and not transformed. */
export function listOf<Element extends z.ZodType>(element: Element, error: string) {
  return new FirstErrorArray({
    type: "array",
    element,
    error: () => error,
  }) as z.ZodArray<Element>;
}

/** Returns the schema of an object whose members all have one type. */
export function mapOf<Value extends z.ZodType>(valueType: Value, error: string) {
  const definition = {
    type: "record",
    keyType: z.string(),
    valueType,
    error: () => error,
  } as const;
  return new FirstErrorRecord(definition) as z.ZodRecord<z.ZodString, Value>;
}

function issuesOf(schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal) {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new Error("elements cannot be validated asynchronously");
  return result.issues;
}

/** Adds the first issue of an element, if it has one, and returns whether it has. */
function addFirst(
  payload: z.core.ParsePayload,
  key: PropertyKey,
  issues: readonly z.core.$ZodRawIssue[],
): boolean {
  const [first] = issues;
  if (first !== undefined) payload.issues.push(...z.core.util.prefixIssues(key, [first]));
  return first !== undefined;
}

function addTypeIssue(
  payload: z.core.ParsePayload,
  expected: "array" | "record",
  inst: z.core.$ZodType,
): z.core.ParsePayload {
  payload.issues.push({ code: "invalid_type", expected, input: payload.value, inst });
  return payload;
}
