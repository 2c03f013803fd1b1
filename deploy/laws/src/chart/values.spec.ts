import { describe, expect, it } from "vitest";
import { readChartFile, renderChart } from "./chart.ts";

interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  definitions?: Record<string, Schema>;
  $ref?: string;
  [keyword: string]: unknown;
}

describe("the schema of the values", () => {
  it.each([
    ["a misspelt group", "netwrokPolicy.enabled=false"],
    ["a misspelt value", "image.tagg=1"],
    ["a misspelt value of a service", "services.chat.replica=3"],
    ["a misspelt value of the defaults", "services.defaults.resources.request.cpu=1"],
    ["an unknown service", "services.video.replicas=1"],
    ["an invalid number", "services.chat.replicas=many"],
    ["an invalid boolean", "ingress.enabled=maybe"],
    ["an invalid digest", "image.digest=sha256:abc"],
    ["an unknown volume type", "spool.volume=ephemeral"],
    ["an invalid duration", "httpRoute.requestTimeout=forever"],
    ["a secret without its key", "services.ledger.databaseSecret.name=other"],
    ["a secret as a plain variable", "services.ledger.env.DATABASE_URL=postgres://a:b@c/d"],
    ["an unknown log level", "log=loud"],
    ["an unknown source of the catalog", "catalog.source=git"],
    ["a trace endpoint with a password", "tracing.endpoint=https://a:b@collector"],
    ["a trace share above 1", "tracing.share=2"],
  ])("refuses %s", async (_, value) => {
    await expect(renderChart("defaults", value)).rejects.toThrow("don't meet the specifications");
  });

  it("allows unknown fields only in objects that Kubernetes or the user defines", async () => {
    const schema = await readChartFile<Schema>("values.schema.json");
    expect(openObjects("", schema).sort()).toEqual([
      ".catalog.content.limits",
      ".catalog.content.models[]",
      ".catalog.content.providers",
      ".global",
      "peers[].namespaceSelector",
      "peers[].podSelector",
      "service.affinity",
      "service.tolerations[]",
    ]);
  });

  it("and values.yaml contain the same values", async () => {
    const schema = await readChartFile<Schema>("values.schema.json");
    const values = await readChartFile<Record<string, unknown>>("values.yaml");
    const known = Object.keys(schema.properties ?? {}).filter((name) => name !== "global");
    expect(known.sort()).toEqual(Object.keys(values).sort());
    const service = Object.keys(schema.definitions?.service?.properties ?? {});
    const { defaults } = values.services as { defaults: object };
    expect(service.sort()).toEqual(Object.keys(defaults).sort());
  });
});

describe("the chart refuses", () => {
  it.each([
    ["a grace period shorter than the drain", "terminationGracePeriodSeconds=5"],
    ["an ingress without a host", "ingress.enabled=true"],
    ["an ingress of the console without a host", "console.ingress.enabled=true"],
    ["an ingress of customers without their URL", "console.customers.ingress.enabled=true"],
    ["an OpenID provider without a client id", "console.oidc.issuer=https://accounts.example.com"],
    [
      "an identity of a service that calls no providers",
      "services.ledger.serviceAccount.annotations.role=a",
    ],
    ["a Certificate without its Secret", "tls.certificate.enabled=true"],
    ["an HTTPRoute without a Gateway", "httpRoute.enabled=true"],
  ])("%s", async (_, value) => {
    await expect(renderChart("defaults", value)).rejects.toThrow(/must (be|name|not be set)/);
  });
});

/** Returns the paths of the objects in a schema that allow unknown fields. */
function openObjects(path: string, schema: Schema): string[] {
  const { properties = {}, definitions = {}, items, additionalProperties, ...rest } = schema;
  const isOpen = rest.type === "object" && additionalProperties === undefined;
  return [
    ...(isOpen && rest.maxProperties !== 0 ? [path] : []),
    ...Object.entries(properties).flatMap(([name, one]) => openObjects(`${path}.${name}`, one)),
    ...Object.entries(definitions).flatMap(([name, one]) => openObjects(name, one)),
    ...(items === undefined ? [] : openObjects(`${path}[]`, items as Schema)),
  ];
}
