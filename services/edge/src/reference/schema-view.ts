import type { JsonSchema } from "../openapi/json-schema.ts";
import { type Html, html, inline, joined } from "./html.ts";

/** The fields of an object, a row each; what has no fields is told by its type. */
export function schemaView(schema: JsonSchema): Html {
  const variants = variantsOf(schema);
  if (variants.length > 1 && variants.some(({ properties }) => properties !== undefined)) {
    const views = variants.map(
      (variant, index) => html`${index === 0 ? "" : html`<p>or</p>`}${schemaView(variant)}`,
    );
    return html`${views}`;
  }
  const { properties, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const fields = Object.entries(properties ?? {});
  if (fields.length === 0) return html`<p>${typeView(schema)}</p>`;
  const rows = fields.map(([name, field]) => fieldRow(name, field, required.includes(name)));
  return html`<table><tbody>${rows}</tbody></table>`;
}

function fieldRow(name: string, field: JsonSchema, isRequired: boolean): Html {
  const { description } = field as { description?: string };
  const needed = isRequired ? html` <em>required</em>` : html``;
  return html`<tr><th><code>${name}</code>${needed}</th>
<td><span class="type">${typeView(field)}</span> ${inline(description ?? "")}${innerView(field)}</td></tr>
`;
}

/** The fields of an object inside, or of the objects in an array. */
function innerView(field: JsonSchema): Html | undefined {
  const holder = (field.items ?? field) as JsonSchema;
  const inner = variantsOf(holder).filter(
    ({ properties }) => Object.keys((properties ?? {}) as object).length > 0,
  );
  if (inner.length === 0) return undefined;
  const views = inner.map(schemaView);
  return html`<details><summary>Fields</summary>${views}</details>`;
}

/** What a value is, in a few words. */
export function typeView(schema: JsonSchema): Html {
  const { $ref, type, items, const: only, enum: values } = schema;
  if (typeof $ref === "string") return referenceView($ref);
  const variants = variantsOf(schema);
  if (variants.length > 1) return html`${joined(variants.map(typeView), " or ")}`;
  if (variants[0] !== undefined && variants[0] !== schema) return typeView(variants[0]);
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (Array.isArray(values)) return valuesView(values);
  const kind = [type].flat().find((one) => one !== "null");
  if (kind === "array") return html`array of ${typeView((items ?? {}) as JsonSchema)}`;
  if (schema.format === "binary") return html`bytes`;
  return html`${typeof kind === "string" ? kind : "any"}${rangeView(schema)}`;
}

function referenceView(pointer: string): Html {
  const name = pointer.split("/").at(-1) ?? "";
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

function valuesView(values: readonly unknown[]): Html {
  const codes = values
    .filter((value) => value !== null)
    .map((value) => html`<code>${String(value) === "" ? '""' : String(value)}</code>`);
  return html`${joined(codes, ", ")}`;
}

function rangeView({ minimum, maximum }: JsonSchema): string {
  const least = typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER;
  const most = typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER;
  if (least && most) return ` from ${minimum} to ${maximum}`;
  if (least) return ` from ${minimum}`;
  return most ? ` to ${maximum}` : "";
}

/** The alternatives that a value has, without null; an object with rules on its fields is one. */
function variantsOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, oneOf, properties } = schema;
  const listed = properties === undefined ? (anyOf ?? oneOf) : undefined;
  if (!Array.isArray(listed)) return [schema];
  return (listed as JsonSchema[]).filter(({ type }) => type !== "null").flatMap(variantsOf);
}
