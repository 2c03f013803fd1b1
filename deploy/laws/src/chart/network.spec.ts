import { describe, expect, it } from "vitest";
import { namespace, renderChart, type ValueSet } from "./chart.ts";
import { podsOf } from "./manifest.ts";
import { createNetwork, type Endpoint } from "./network.ts";

/** All ports of the fleet and of the servers around it. */
const ports = [53, 80, 443, 4222, 4318, 5432, 6432, 8000, 8080, 8081, 8082, 9090, 9091, 9092];

const externals: readonly Endpoint[] = [
  { name: "ingress controller", namespace: "ingress-nginx", labels: {} },
  { name: "prometheus", namespace: "monitoring", labels: {} },
  { name: "dns", namespace: "kube-system", labels: {} },
  { name: "another pod here", namespace, labels: { app: "another" } },
  { name: "another pod", namespace: "default", labels: {} },
  { name: "model server", namespace: "models", labels: {} },
  { name: "nats", namespace: "nats", labels: {} },
  { name: "postgres", address: "10.20.0.7" },
  { name: "intranet", address: "10.9.9.9" },
  { name: "metadata service", address: "169.254.169.254" },
  { name: "internet", address: "203.0.113.9" },
  { name: "intranet by IPv6", address: "fd00::9" },
  { name: "internet by IPv6", address: "2600:1f18::9" },
];

/**
 * The connections inside the fleet, according to the architecture, and the connection of `helm
 * test` to the edge.
 */
const fleetConnections = [
  "edge -> chat:9090",
  "edge -> document:9090",
  "edge -> document:9091",
  "edge -> image:9090",
  "edge -> audio:9090",
  "edge -> audio:9091",
  "edge -> billing:9090",
  // The health route calls every service.
  "edge -> ledger:9090",
  "chat -> ledger:9090",
  "document -> ledger:9090",
  "image -> ledger:9090",
  "audio -> ledger:9090",
  // The stored keys of providers, and the catalog.
  "chat -> billing:9090",
  "document -> billing:9090",
  "image -> billing:9090",
  "audio -> billing:9090",
  "billing -> ledger:9090",
  // How many conversations an account has stored. Each of these tries slots of its routes.
  "billing -> chat:9090",
  "billing -> document:9090",
  "billing -> document:9091",
  "billing -> image:9090",
  "billing -> audio:9090",
  "billing -> audio:9091",
  "console -> billing:9090",
  // The requests of the playground.
  "console -> edge:8080",
  "test -> edge:8080",
];
const services = ["edge", "chat", "document", "image", "audio", "billing", "console", "ledger"];
const withProviders = ["chat", "document", "image", "audio"];
const withDatabase = ["edge", "chat", "document", "billing", "ledger"];

/** Returns every connection from or to the release that the policies allow. */
async function connectionsOf(set: ValueSet, ...values: string[]): Promise<string[]> {
  const manifests = await renderChart(set, ...values);
  const allows = createNetwork(manifests);
  const pods: Endpoint[] = podsOf(manifests).map(({ component, labels }) => {
    return { name: component, namespace, labels };
  });
  const connections: string[] = [];
  for (const pod of pods) {
    for (const other of [...pods, ...externals]) {
      if (other === pod) continue;
      for (const port of ports) {
        if (allows(pod, other, port)) connections.push(`${pod.name} -> ${other.name}:${port}`);
        const isExternal = externals.includes(other);
        if (isExternal && allows(other, pod, port))
          connections.push(`${other.name} -> ${pod.name}:${port}`);
      }
    }
  }
  return connections.sort();
}

function each(froms: readonly string[], to: string): string[] {
  return froms.map((from) => `${from} -> ${to}`);
}

describe("the network policies", () => {
  it("allow exactly the connections of the architecture", async () => {
    const connections = await connectionsOf("external-secrets");
    expect(connections).toEqual(
      [
        ...fleetConnections,
        "ingress controller -> edge:8080",
        "ingress controller -> console:8081",
        ...services.map((service) => `prometheus -> ${service}:9092`),
        ...each([...services, "migrate", "test"], "dns:53"),
        ...each(services, "nats:4222"),
        ...each([...withDatabase, "migrate"], "postgres:6432"),
        ...each(withProviders, "internet:443"),
        ...each(withProviders, "internet:8000"),
        ...each(withProviders, "model server:443"),
        ...each(withProviders, "model server:8000"),
      ].sort(),
    );
  });

  it("allow external connections only to services that call providers, and none to the cluster", async () => {
    const connections = await connectionsOf("defaults");
    const out = connections.filter((connection) => connection.endsWith(":443"));
    const internet = ["internet:443", "internet by IPv6:443"];
    expect(out).toEqual(internet.flatMap((to) => each(withProviders, to)).sort());
    expect(connections.filter((connection) => connection.includes("metadata service:443"))).toEqual(
      [],
    );
  });

  it("allow every service to connect to the trace collector when tracing is on", async () => {
    const collector = "prometheus:4318";
    const closed = await connectionsOf("defaults");
    expect(closed.filter((connection) => connection.endsWith(":4318"))).toEqual([]);
    const open = await connectionsOf(
      "defaults",
      "tracing.endpoint=http://collector.monitoring:4318",
    );
    const added = open.filter((connection) => !closed.includes(connection));
    expect(added).toEqual(each(services, collector).sort());
  });

  it("allow the console to connect to the OpenID provider when there is one", async () => {
    const closed = await connectionsOf("defaults");
    const open = await connectionsOf(
      "defaults",
      "console.url=https://console.example.com",
      "console.oidc.issuer=https://accounts.example.com",
      "console.oidc.clientId=tollgate",
      "console.oidc.roles[0]=staff=viewer",
    );
    const added = open.filter((connection) => !closed.includes(connection));
    expect(added).toEqual(["console -> internet by IPv6:443", "console -> internet:443"]);
  });

  it("allow billing to connect to Stripe where payments are on", async () => {
    const closed = await connectionsOf("defaults");
    const open = await connectionsOf(
      "defaults",
      "console.url=https://console.example.com",
      "payments.stripe.key.name=stripe",
      "payments.stripe.key.key=key",
      "payments.stripe.webhookSecret.name=stripe",
      "payments.stripe.webhookSecret.key=webhook",
    );
    const added = open.filter((connection) => !closed.includes(connection));
    expect(added).toEqual(["billing -> internet by IPv6:443", "billing -> internet:443"]);
  });

  it("allow billing to connect to webhooks where warnings have them, with the key that encrypts", async () => {
    const closed = await connectionsOf("defaults");
    const open = await connectionsOf("defaults", "warnings.webhooks=true");
    const added = open.filter((connection) => !closed.includes(connection));
    expect(added).toEqual(["billing -> internet by IPv6:443", "billing -> internet:443"]);
  });

  it("allow customers to the listener of their own where there is one", async () => {
    const before = await connectionsOf("defaults");
    const open = await connectionsOf("defaults", "console.customers.url=https://c.example.com");
    const added = open.filter((connection) => !before.includes(connection));
    expect(added).toEqual(["ingress controller -> console:8082"]);
  });

  it("allow clients only from the ingress namespace", async () => {
    const connections = await connectionsOf("gateway-api");
    expect(connections.filter((connection) => connection.endsWith("edge:8080"))).toEqual([
      "console -> edge:8080",
      "test -> edge:8080",
    ]);
  });

  it("allow connections to dev servers only from services that need them", async () => {
    const connections = await connectionsOf("dev");
    const inside = connections.filter((connection) =>
      /(postgres:5432|nats:4222|simulator:8080)$/.test(connection),
    );
    expect(inside).toEqual(
      [
        ...each(withDatabase, "postgres:5432"),
        ...each(services, "nats:4222"),
        ...each(withProviders, "simulator:8080"),
      ].sort(),
    );
  });

  it("do not exist when they are disabled", async () => {
    const manifests = await renderChart("minimal");
    expect(manifests.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });
});
