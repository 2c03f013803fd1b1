import { z } from "zod";

const node = z
  .looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.unknown().optional(),
  })
  .catch({});

/**
 * Returns why a JSON schema is not one of strict mode, in which each object requires all of its
 * properties and allows no others: https://developers.openai.com/api/docs/guides/structured-outputs
 */
export function strictSchemaProblem(schema: unknown, context: string[] = []): string | undefined {
  const { type, properties, required, additionalProperties, ...rest } = node.parse(schema);
  const at = `In context=(${context.map((key) => `'${key}'`).join(", ")})`;
  if ([type].flat().includes("object") || properties !== undefined) {
    if (additionalProperties !== false) {
      return `${at}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const missing = Object.keys(properties ?? {}).find((name) => !required?.includes(name));
    if (missing !== undefined) {
      return `${at}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  for (const [name, value] of Object.entries(properties ?? {})) {
    const problem = strictSchemaProblem(value, [...context, "properties", name]);
    if (problem !== undefined) return problem;
  }
  return partsOf(rest)
    .map(([path, part]) => strictSchemaProblem(part, [...context, ...path]))
    .find((problem) => problem !== undefined);
}

/** Returns the schemas in a schema besides its properties, each with its path. */
function partsOf(schema: Readonly<Record<string, unknown>>): [path: string[], part: unknown][] {
  const parts: [string[], unknown][] = [];
  if (isObject(schema.items)) parts.push([["items"], schema.items]);
  if (Array.isArray(schema.anyOf)) {
    parts.push(
      ...schema.anyOf.map((part, index): [string[], unknown] => [["anyOf", String(index)], part]),
    );
  }
  for (const name of ["$defs", "definitions"]) {
    const definitions = schema[name];
    if (!isObject(definitions)) continue;
    parts.push(
      ...Object.entries(definitions).map(([key, part]): [string[], unknown] => [[name, key], part]),
    );
  }
  return parts;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
