import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

type ResponseFormat = NonNullable<LanguageModelV4CallOptions["responseFormat"]>;

/**
 * The models with structured output of their own, by their ids without a profile and its region:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
const models: readonly RegExp[] = [
  /^anthropic\.claude-(haiku-4-5|opus-4-[56]|sonnet-4-[56])\b/,
  /^deepseek\.v3/,
  /^google\.gemma-3/,
  /^minimax\.minimax-m2/,
  /^mistral\.(magistral-small-2509|ministral-3|mistral-large-3|voxtral)/,
  /^moonshot(ai)?\.kimi-k2/,
  /^nvidia\.nemotron-nano/,
  /^openai\.gpt-oss-/,
  /^qwen\.qwen3/,
  /^zai\.glm-5/,
];

/** The keywords of a schema that all of these models take, whatever their values. */
const keywords: ReadonlySet<string> = new Set([
  "$schema",
  "const",
  "default",
  "description",
  "enum",
  "required",
  "title",
  "type",
]);

const formats: ReadonlySet<unknown> = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uuid",
]);

/** The keywords whose value is a schema, or a list of schemas. */
const withSchemas: ReadonlySet<string> = new Set(["items", "anyOf", "allOf"]);

/**
 * Returns Converse's `outputConfig` for a response format. Undefined where the model has no structured
 * output of its own, or the schema has what it does not take.
 */
export function nativeFormat(
  modelId: string,
  format: ResponseFormat | undefined,
): JsonObject | undefined {
  if (format?.type !== "json" || !isJsonObject(format.schema)) return undefined;
  const id = (modelId.split("/").at(-1) ?? "").replace(
    /^(apac|au|ca|eu|global|jp|us|us-gov)\./,
    "",
  );
  if (!models.some((model) => model.test(id))) return undefined;
  const schema = closed(format.schema);
  if (schema === undefined || schema.properties === undefined) return undefined;
  const { name = "response", description } = format;
  const described = description === undefined ? {} : { description };
  const jsonSchema = { schema: JSON.stringify(schema), name, ...described };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/**
 * Returns a schema whose objects have no other properties than those that it names, as these models
 * require; undefined for a schema that has more than they take.
 */
function closed(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const written: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const taken = closedValue(keyword, value);
    if (taken === undefined) return undefined;
    written[keyword] = taken;
  }
  return isObjectSchema(schema) ? { ...written, additionalProperties: false } : written;
}

function closedValue(keyword: string, value: unknown): unknown {
  if (keyword === "additionalProperties") return value === false ? value : undefined;
  if (keyword === "format") return formats.has(value) ? value : undefined;
  if (keyword === "minItems") return value === 0 || value === 1 ? value : undefined;
  if (keyword === "properties") return closedEntries(value);
  if (withSchemas.has(keyword)) return Array.isArray(value) ? closedList(value) : closed(value);
  return keywords.has(keyword) ? value : undefined;
}

function closedList(schemas: readonly unknown[]): JsonObject[] | undefined {
  const written = schemas.map(closed).filter((schema) => schema !== undefined);
  return written.length === schemas.length ? written : undefined;
}

function closedEntries(schemas: unknown): JsonObject | undefined {
  if (!isJsonObject(schemas)) return undefined;
  const names = Object.keys(schemas);
  const written = closedList(Object.values(schemas));
  return written && Object.fromEntries(names.map((name, index) => [name, written[index]]));
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return (
    type === "object" ||
    (Array.isArray(type) && type.includes("object")) ||
    properties !== undefined
  );
}
