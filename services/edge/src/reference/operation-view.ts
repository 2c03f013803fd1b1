import type {
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from "../openapi/document.ts";
import type { JsonSchema } from "../openapi/json-schema.ts";
import type { Parameter } from "../openapi/operation.ts";
import { curlOf } from "./curl.ts";
import { type Html, html, inline, prose } from "./html.ts";
import { schemaView, typeView } from "./schema-view.ts";

/** An operation with its address. */
export interface AddressedOperation {
  method: string;
  path: string;
  operation: OperationObject;
}

/** One operation: what it takes, what it answers, and how it is refused. */
export function operationView(addressed: AddressedOperation, document: OpenApiDocument): Html {
  const { method, path, operation } = addressed;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const [entry] = Object.entries(requestBody?.content ?? {});
  return html`<section id="${operationId}">
<h3>${summary}</h3>
<p class="address"><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code></p>
${prose(description ?? "")}
<p class="key">${inline(keyView(operation))}</p>
${parameters.length === 0 ? undefined : parametersView(parameters)}
${entry === undefined ? undefined : bodyView(entry, document)}
${operation.responses[101] === undefined ? exampleView(addressed) : undefined}
<h4>Answers</h4>
${answersView(operation.responses)}
${framesView(operation["x-websocket"])}
</section>
`;
}

function exampleView(addressed: AddressedOperation): Html {
  return html`<h4>Example</h4><pre>${curlOf(addressed)}</pre>`;
}

function keyView({ security }: OperationObject): string {
  if (security.length === 0) return "Needs no key.";
  if (security.length > 1) return "Needs no key; one that is sent has to be good.";
  return security[0]?.settlementKey === undefined
    ? "Needs a key: `Authorization: Bearer sk-tollgate-…`"
    : "Needs a key of the settlement channel.";
}

function parametersView(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: where, required, description, schema }) =>
      html`<tr><th><code>${name}</code>${required ? html` <em>required</em>` : undefined}</th>
<td><span class="type">${typeView(schema)}, in the ${where}.</span> ${inline(description)}</td></tr>
`,
  );
  return html`<h4>Parameters</h4><table><tbody>${rows}</tbody></table>`;
}

function bodyView([type, { schema }]: [string, MediaTypeObject], document: OpenApiDocument): Html {
  const name = String(schema.$ref).split("/").at(-1) ?? "";
  const fields = document.components.schemas[name] ?? schema;
  return html`<h4>Body <small>${type}</small></h4>${schemaView(fields)}`;
}

function answersView(responses: Record<string, ResponseObject>): Html {
  const rows = Object.entries(responses).map(
    ([status, { description, headers = {}, content = {} }]) => html`<tr><th>${status}</th>
<td>${prose(description)}${contentView(content, Number(status) >= 400)}
<p class="headers">${Object.keys(headers).join(", ")}</p></td></tr>
`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

/** Errors all look alike: their table says it once. */
function contentView(content: Record<string, MediaTypeObject>, isError: boolean): Html[] {
  if (isError) return [];
  return Object.entries(content).map(([type, { schema, "x-event-schema": event }]) => {
    const what = event === undefined ? typeView(schema) : html`events of ${typeView(event)}`;
    return html`<p><small>${type}</small> ${what}</p>`;
  });
}

interface Frame {
  frame: string;
  description: string;
  schema?: JsonSchema;
}

function framesView(frames: JsonSchema | undefined): Html | undefined {
  if (frames === undefined) return undefined;
  const rows = Object.entries(frames as Record<string, Frame[]>).flatMap(([side, list]) =>
    list.map(
      ({ frame, description, schema }) => html`<tr><th>${side}: ${frame}</th>
<td>${inline(description)}${schema === undefined ? undefined : schemaView(schema)}</td></tr>
`,
    ),
  );
  return html`<h4>Frames</h4><table><tbody>${rows}</tbody></table>`;
}
