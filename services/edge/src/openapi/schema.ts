import type { Form } from "@tollgate/http/form-fields";
import { z } from "zod";
import { isOptional } from "../validation.ts";

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 speaks. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema, and those that it refers to by their names. */
export interface NamedSchemas {
  schema: JsonSchema;
  named: Readonly<Record<string, JsonSchema>>;
}

/** What an answer looks like. Fields may be added to it one day, so that it forbids none. */
export function answerSchema(schema: z.ZodType): NamedSchemas {
  return toJsonSchema(schema, "input");
}

/**
 * What a JSON body has to look like to be taken, as `validate` takes it after `withoutNulls`:
 * optional fields may be null, and what is not supported at all is no field.
 */
export function bodySchema(schema: z.ZodObject): NamedSchemas {
  const { schema: whole, named } = toJsonSchema(schema, "output");
  const taken = Object.entries(whole.properties as Record<string, JsonSchema>).flatMap(
    ([name, property]) => {
      const field: unknown = schema.shape[name];
      if (isOptional(field)) return [[name, orNull(property)]];
      return field instanceof z.ZodOptional ? [] : [[name, property]];
    },
  );
  return { schema: { ...whole, properties: Object.fromEntries(taken) }, named };
}

/** What a multipart form has to look like to be taken. */
export function formSchema(form: Form): JsonSchema {
  const properties = Object.entries(form).map(([name, field]) => {
    const { about: description } = field;
    const file = { type: "string", format: "binary" };
    if (field.kind === "text") {
      const { options, required } = field;
      const least = required ? { minLength: 1 } : {};
      return [name, { type: "string", ...(options ? { enum: options } : least), description }];
    }
    if (!field.many) return [name, { ...file, description }];
    return [name, { type: "array", items: file, minItems: 1, description }];
  });
  const required = Object.entries(form)
    .filter(([, field]) => field.kind === "file" || field.required)
    .map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

/** Where in the document a schema lies. */
export function referTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `output` tells what comes out of a schema that first looks at the raw value. */
function toJsonSchema(schema: z.ZodType, io: "input" | "output"): NamedSchemas {
  const {
    $schema,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    // Checks by code describe themselves by their metadata.
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema instanceof z.ZodString) refuseFlags(zodSchema);
      // In an answer they say nothing but that the number is one.
      if (io === "input" && jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
      }
    },
  });
  const text = JSON.stringify({ schema: rest, named: $defs });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'), unwrapped);
}

/** A choice of one is that one. */
function unwrapped(_key: string, value: unknown): unknown {
  const { oneOf } = (value ?? {}) as { oneOf?: unknown };
  return Array.isArray(oneOf) && oneOf.length === 1 ? oneOf[0] : value;
}

/** JSON Schema knows no flags: such a pattern would refuse what the route takes. */
function refuseFlags({ def }: z.ZodString): void {
  for (const check of def.checks ?? []) {
    const { pattern } = check._zod.def as { pattern?: RegExp };
    if (pattern?.flags) throw new Error(`${pattern} has to do without flags`);
  }
}

function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const about = description === undefined ? {} : { description };
  if (typeof schema.type === "string" && schema.const === undefined && schema.enum === undefined) {
    return { ...schema, type: [schema.type, "null"], ...about };
  }
  return { anyOf: [schema, { type: "null" }], ...about };
}
