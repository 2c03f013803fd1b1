import { z } from "zod";

/**
 * Arrays and maps of what clients send. A body may hold millions of elements, and zod tells of
 * every one that is wrong, which costs far more than the body itself; only the first is ever told
 * on. So these stop there. They describe themselves as the plain ones do.
 */

const FirstFaultList = z.core.$constructor<z.ZodArray>("FirstFaultArray", (list, definition) => {
  z.ZodArray.init(list, definition);
  list._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value)) return refuse(payload, "array", list);
    for (let index = 0; index < value.length; index += 1) {
      if (isRefused(payload, index, check(definition.element, value[index], context))) break;
    }
    return payload;
  };
});

const FirstFaultMap = z.core.$constructor<z.ZodRecord>("FirstFaultRecord", (map, definition) => {
  z.ZodRecord.init(map, definition);
  map._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!z.core.util.isPlainObject(value)) return refuse(payload, "record", map);
    for (const name of Object.keys(value)) {
      if (isRefused(payload, name, check(definition.valueType, value[name], context))) break;
    }
    return payload;
  };
});

/** An array whose first wrong element refuses it. What its elements are is not changed. */
export function listOf<Element extends z.ZodType>(element: Element, error: string) {
  return new FirstFaultList({ type: "array", element, error: () => error }) as z.ZodArray<Element>;
}

/** An object of which every member is of one kind; the first that is not refuses it. */
export function mapOf<Value extends z.ZodType>(valueType: Value, error: string) {
  const definition = {
    type: "record",
    keyType: z.string(),
    valueType,
    error: () => error,
  } as const;
  return new FirstFaultMap(definition) as z.ZodRecord<z.ZodString, Value>;
}

function check(schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal) {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new Error("what a request may hold is checked at once");
  return result.issues;
}

function isRefused(
  payload: z.core.ParsePayload,
  key: PropertyKey,
  issues: readonly z.core.$ZodRawIssue[],
): boolean {
  const [first] = issues;
  if (first !== undefined) payload.issues.push(...z.core.util.prefixIssues(key, [first]));
  return first !== undefined;
}

function refuse(
  payload: z.core.ParsePayload,
  expected: "array" | "record",
  inst: z.core.$ZodType,
): z.core.ParsePayload {
  payload.issues.push({ code: "invalid_type", expected, input: payload.value, inst });
  return payload;
}
