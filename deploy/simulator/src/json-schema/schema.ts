import { z } from "zod";

const count = z.int().min(0).optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const bound = z.union([z.number(), z.boolean()]).optional().catch(undefined);
const list = z.array(z.unknown()).min(1).optional().catch(undefined);
const map = z.record(z.string(), z.unknown()).optional().catch(undefined);
const text = z.string().optional().catch(undefined);

const keywords = z.object({
  type: z
    .union([z.string().transform((type) => [type]), z.array(z.string()).min(1)])
    .optional()
    .catch(undefined),
  const: z.unknown().optional(),
  enum: list,
  default: z.unknown().optional(),
  examples: list,
  $ref: text,
  allOf: list,
  anyOf: list,
  oneOf: list,
  minimum: number,
  maximum: number,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: z.number().positive().optional().catch(undefined),
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  prefixItems: list,
  items: z.unknown().optional(),
  additionalItems: z.unknown().optional(),
  minItems: count,
  maxItems: count,
  uniqueItems: z.boolean().optional().catch(undefined),
  properties: map,
  required: z.array(z.string()).optional().catch(undefined),
  patternProperties: map,
  propertyNames: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  minProperties: count,
  maxProperties: count,
});

/** The keywords of one JSON schema that examples respect. Keywords with wrong types are absent. */
export type Schema = z.output<typeof keywords>;

/** Returns the keywords of a schema: none of `true`. Undefined for `false` and what is no schema. */
export function readSchema(schema: unknown): Schema | undefined {
  if (schema === true) return {};
  const read = keywords.safeParse(schema);
  return read.success ? read.data : undefined;
}

const typesOfKeywords: readonly [type: string, keywords: readonly (keyof Schema)[]][] = [
  [
    "object",
    ["properties", "required", "patternProperties", "propertyNames", "additionalProperties"],
  ],
  ["array", ["prefixItems", "items", "minItems", "maxItems", "uniqueItems"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Returns the type of an example: the first that is not null, else the one its keywords imply. */
export function typeOf({ type, ...schema }: Schema): string {
  const named = type?.find((one) => one !== "null") ?? type?.[0];
  if (named !== undefined) return named;
  const implied = typesOfKeywords.find(([, names]) =>
    names.some((name) => schema[name as keyof typeof schema] !== undefined),
  );
  return implied?.[0] ?? "string";
}
