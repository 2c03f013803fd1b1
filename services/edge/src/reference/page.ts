import { createHash } from "node:crypto";
import type { OpenApiDocument } from "../openapi/document.ts";
import { type Html, html, prose } from "./html.ts";
import { type AddressedOperation, operationView } from "./operation-view.ts";
import { schemaAnchor, schemaView } from "./schema-view.ts";
import { style } from "./style.ts";

const styleHash = createHash("sha256").update(style).digest("base64");

/** Allows the page's own style, and nothing else: it has no scripts and loads nothing. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The document as one page for people. */
export function referencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = document.tags.map(({ name, description: about }) => ({
    name,
    about,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body>
<nav>
${groups.map(({ name, operations }) => navigationView(name, operations))}
<ul><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul>
</nav>
<main>
<h1>${title} <small>${version}</small></h1>
${prose(description)}
<p>The same for programs: <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document.</p>
${groups.map(
  ({ name, about, operations }) => html`<h2>${name}</h2>
${prose(about)}${operations.map((one) => operationView(one, document))}`,
)}
${errorsView(document)}
${schemasView(document)}
</main>
</body>
</html>
`;
  return page.markup;
}

function navigationView(name: string, operations: readonly AddressedOperation[]): Html {
  const items = operations.map(
    ({ operation: { operationId, summary } }) =>
      html`<li><a href="#${operationId}">${summary}</a></li>\n`,
  );
  return html`<h2>${name}</h2><ul>${items}</ul>`;
}

function errorsView(document: OpenApiDocument): Html {
  const rows = document["x-error-codes"].map(
    ({ code, status, type, meaning }) =>
      html`<tr><th><code>${code}</code></th><td>${status} <small>${type}</small> ${meaning}</td></tr>\n`,
  );
  return html`<h2 id="errors">Errors</h2><table><tbody>${rows}</tbody></table>`;
}

function schemasView({ components }: OpenApiDocument): Html {
  const views = Object.entries(components.schemas).map(
    ([name, schema]) => html`<section id="${schemaAnchor(name)}"><h3>${name}</h3>
${schemaView(schema)}</section>
`,
  );
  return html`<h2 id="schemas">Schemas</h2>${views}`;
}
