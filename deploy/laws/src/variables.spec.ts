import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { codeInTables, readPage } from "./markdown.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Where variables are read for users: the services, the launcher and the simulator. */
const sources = ["services", "deploy/local", "deploy/simulator"];
const isSource = (path: string) => !/(^|\/)(node_modules|generated|test)\/|\.spec\.ts$/.test(path);

/** The ways in which the code names a variable that it reads. */
const reads = [
  // A member of a settings schema.
  /^\s+([A-Z][A-Z0-9_]*): (?:z\b|integerSetting\b|\w+Settings\.)/gm,
  /\benv\.([A-Z][A-Z0-9_]*)/g,
  // One for each service.
  /`(TOLLGATE_\$\{[^}`]+\}_[A-Z_]+)`/g,
];

/** Set by every system. */
const ofSystem = ["PATH"];
/** Read by the OpenTelemetry SDK itself. */
const ofSdk = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"];
/** Read by Node itself. */
const ofNode = ["NODE_EXTRA_CA_CERTS"];
/** Read in lower case, too, by names that the code composes. */
const ofProxies = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
/** Read by the packages of clouds. */
const ofClouds = [
  "AWS_ROLE_ARN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
];
/** Named in the demo catalog. */
const ofCatalog = ["TOLLGATE_SIMULATOR_URL"];

async function variablesOfCode(): Promise<string[]> {
  const names = new Set<string>();
  for (const source of sources) {
    for await (const path of glob(`${source}/**/*.ts`, { cwd: root })) {
      if (!isSource(path)) continue;
      const text = await readFile(`${root}${path}`, "utf8");
      for (const pattern of reads) {
        for (const [, name = ""] of text.matchAll(pattern)) {
          names.add(name.replace(/\$\{.*\}/, "<SERVICE>"));
        }
      }
    }
  }
  return [...names].filter((name) => !ofSystem.includes(name));
}

async function variablesOfCompose(): Promise<string[]> {
  const text = await readFile(`${root}deploy/compose.yaml`, "utf8");
  return Array.from(text.matchAll(/\$\{([A-Z_]+)/g), ([, name = ""]) => name);
}

it("every variable that the code or Compose reads is documented, and no other", async () => {
  const read = [...(await variablesOfCode()), ...(await variablesOfCompose())];
  // The command finds billing by the variable that the services find it by.
  const general = read.map((name) => name.replace("_BILLING_", "_<SERVICE>_"));
  const documented = codeInTables(await readPage("docs/configuration.md"));
  const names = documented.filter((code) => /^[A-Z][A-Z_]*(<SERVICE>)?[A-Z_]*$/.test(code));
  const known = new Set([...general, ...ofSdk, ...ofNode, ...ofProxies, ...ofClouds, ...ofCatalog]);
  expect([...new Set(names)].sort()).toEqual([...known].sort());
});
