import { createHash } from "node:crypto";

/** The module of Scalar that the page loads. */
export const scalarModule = "standalone.esm.js";

/** Colors that differ enough from their ground where Scalar's own do not: 4.5:1 (WCAG 1.4.3). */
const colors = `
body.light-mode {
  --scalar-color-2: #5f5f5f;
  --scalar-color-3: #686868;
  --scalar-color-green: #00704a;
  --scalar-color-blue: #0064a8;
  --scalar-color-red: #c80000;
  --scalar-color-orange: #a83a00;
  --scalar-color-accent: #0064a8;
}
body.dark-mode {
  --scalar-color-2: #b4b4b4;
  --scalar-color-3: #a0a0a0;
  --scalar-color-red: #ff6b6b;
}
`;

/**
 * Scalar's configuration. The page contacts only its own origin: no fonts or request proxy from
 * elsewhere, no telemetry, and no features that call Scalar's services.
 */
const configuration = {
  url: "/openapi.json",
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "apiKey" },
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  documentDownloadType: "json",
  modelsSectionLabel: "Schemas",
  orderSchemaPropertiesBy: "preserve",
  customCss: colors,
  defaultOpenAllTags: true,
};

const script = `import { createApiReference } from "/docs/${scalarModule}";
const servers = [{ url: location.origin }];
createApiReference("#reference", { ...${JSON.stringify(configuration)}, servers });`;
const scriptHash = createHash("sha256").update(script).digest("base64");

/**
 * Allows scripts, documents and requests from this origin only. Inline styles are allowed, because
 * Scalar sets style attributes.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${scriptHash}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page of the API reference. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page requires JavaScript. See <a href="/openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
<script type="module">${script}</script>
</body>
</html>
`;

/** The page in a checkout to which Scalar's files have not been downloaded. */
export const pageWithoutFiles = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tollgate API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<p>The files of this page are missing. <code>npm start</code> downloads them if it reaches the npm
registry: connect, and start the gateway again.</p>
<p>The API is also described by <a href="/openapi.json">openapi.json</a>.</p>
</body>
</html>
`;
