import { type Form, maxFieldBytes, type TextField } from "@tollgate/http/form-fields";
import { z } from "zod";

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema, and the schemas that it references, by name. */
export interface NamedSchemas {
  schema: JsonSchema;
  named: Readonly<Record<string, JsonSchema>>;
}

/** Returns the schema of a response. It allows unknown fields, since fields may be added later. */
export function schemaOfResponse(schema: z.ZodType): NamedSchemas {
  return toJsonSchema(schema, "input");
}

/**
 * Returns the schema of a JSON body that `validate` accepts after `withoutNulls`: optional fields
 * may be null, and unsupported fields must be.
 */
export function bodySchema(schema: z.ZodObject): NamedSchemas {
  const { schema: all, named } = toJsonSchema(schema, "output");
  const properties = Object.entries(all.properties as Record<string, JsonSchema>).map(
    ([name, property]) => {
      const field: unknown = schema.shape[name];
      return [name, field instanceof z.ZodOptional ? orNull(property) : property];
    },
  );
  return { schema: { ...all, properties: Object.fromEntries(properties) }, named };
}

/** Returns the schema of a multipart form. */
export function formSchema(form: Form): JsonSchema {
  const properties = Object.entries(form).map(([name, field]) => {
    const { about: description } = field;
    const file = { type: "string", format: "binary" };
    if (field.kind === "text") {
      const text = { type: "string", ...textBounds(field) };
      return [name, field.many ? listOf(text, description) : { ...text, description }];
    }
    if (!field.many) return [name, { ...file, description }];
    return [name, { ...listOf(file, description), minItems: 1 }];
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

function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: "array", items, description };
}

function textBounds({ options, required, dropped }: TextField): JsonSchema {
  if (options !== undefined) return { enum: options };
  return {
    ...(required ? { minLength: 1 } : {}),
    ...(dropped ? {} : { maxLength: maxFieldBytes }),
  };
}

/** Returns a reference to a schema of the document. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `output` describes the final type of a schema that starts with a check of the raw value. */
function toJsonSchema(schema: z.ZodType, io: "input" | "output"): NamedSchemas {
  const {
    $schema,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    // Custom checks have their JSON Schema as metadata.
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema instanceof z.ZodString) rejectPatternFlags(zodSchema);
      // In a response the bounds of safe integers carry no information.
      if (io === "input" && jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
      }
    },
  });
  const text = JSON.stringify({ schema: rest, named: $defs });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'), unwrapSingleChoice);
}

/** Replaces a `oneOf` with a single schema by that schema. */
function unwrapSingleChoice(_key: string, value: unknown): unknown {
  const { oneOf } = (value ?? {}) as { oneOf?: unknown };
  return Array.isArray(oneOf) && oneOf.length === 1 ? oneOf[0] : value;
}

/** JSON Schema has no flags: without them, the pattern would reject what the route accepts. */
function rejectPatternFlags({ def }: z.ZodString): void {
  for (const check of def.checks ?? []) {
    const { pattern } = check._zod.def as { pattern?: RegExp };
    if (pattern?.flags) throw new Error(`${pattern} must have no flags`);
  }
}

function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const documented = description === undefined ? {} : { description };
  if (schema.not !== undefined) return { type: "null", ...documented };
  if (typeof schema.type === "string" && schema.const === undefined && schema.enum === undefined) {
    return { ...schema, type: [schema.type, "null"], ...documented };
  }
  return { anyOf: [schema, { type: "null" }], ...documented };
}
