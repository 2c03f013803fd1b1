import { describe, expect, it } from "vitest";
import { namespace, renderChart, type ValueSet } from "./chart.ts";
import { podsOf } from "./manifest.ts";
import { createNetwork, type Endpoint } from "./network.ts";

/** Every port that anything of the fleet, or anything around it, listens on. */
const ports = [53, 80, 443, 4222, 4318, 5432, 6432, 8000, 8080, 9090, 9091, 9092];

const strangers: readonly Endpoint[] = [
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
];

/**
 * What calls what inside the fleet, as the architecture draws it; and the test, which asks the
 * edge.
 */
const fleetArrows = [
  "edge -> chat:9090",
  "edge -> document:9090",
  "edge -> document:9091",
  "edge -> image:9090",
  "edge -> audio:9090",
  "edge -> audio:9091",
  "edge -> billing:9090",
  // The health route asks every service.
  "edge -> ledger:9090",
  "chat -> ledger:9090",
  "document -> ledger:9090",
  "image -> ledger:9090",
  "audio -> ledger:9090",
  "billing -> ledger:9090",
  "test -> edge:8080",
];
const services = ["edge", "chat", "document", "image", "audio", "billing", "ledger"];
const withProviders = ["chat", "document", "image", "audio"];
const withDatabase = ["edge", "chat", "document", "billing", "ledger"];

/** Every connection that the policies let through, of those that touch the release. */
async function arrowsOf(set: ValueSet, ...values: string[]): Promise<string[]> {
  const manifests = await renderChart(set, ...values);
  const admits = createNetwork(manifests);
  const pods: Endpoint[] = podsOf(manifests).map(({ component, labels }) => {
    return { name: component, namespace, labels };
  });
  const arrows: string[] = [];
  for (const pod of pods) {
    for (const other of [...pods, ...strangers]) {
      if (other === pod) continue;
      for (const port of ports) {
        if (admits(pod, other, port)) arrows.push(`${pod.name} -> ${other.name}:${port}`);
        const isStranger = strangers.includes(other);
        if (isStranger && admits(other, pod, port))
          arrows.push(`${other.name} -> ${pod.name}:${port}`);
      }
    }
  }
  return arrows.sort();
}

function each(froms: readonly string[], to: string): string[] {
  return froms.map((from) => `${from} -> ${to}`);
}

describe("the network policies", () => {
  it("admit what the architecture draws, and nothing else", async () => {
    const arrows = await arrowsOf("external-secrets");
    expect(arrows).toEqual(
      [
        ...fleetArrows,
        "ingress controller -> edge:8080",
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

  it("let only the services that call providers out, and those not into the cluster", async () => {
    const arrows = await arrowsOf("defaults");
    const out = arrows.filter((arrow) => arrow.endsWith(":443"));
    expect(out).toEqual(each(withProviders, "internet:443").sort());
    expect(arrows.filter((arrow) => arrow.includes("metadata service:443"))).toEqual([]);
  });

  it("let every service out to where traces go, once they do", async () => {
    const collector = "prometheus:4318";
    const closed = await arrowsOf("defaults");
    expect(closed.filter((arrow) => arrow.endsWith(":4318"))).toEqual([]);
    const open = await arrowsOf("defaults", "tracing.endpoint=http://collector.monitoring:4318");
    const added = open.filter((arrow) => !closed.includes(arrow));
    expect(added).toEqual(each(services, collector).sort());
  });

  it("admit clients from where the ingress is, and nowhere else", async () => {
    const arrows = await arrowsOf("gateway-api");
    expect(arrows.filter((arrow) => arrow.endsWith("edge:8080"))).toEqual(["test -> edge:8080"]);
  });

  it("keep the dev servers to those that need them", async () => {
    const arrows = await arrowsOf("dev");
    const inside = arrows.filter((arrow) =>
      /(postgres:5432|nats:4222|simulator:8080)$/.test(arrow),
    );
    expect(inside).toEqual(
      [
        ...each(withDatabase, "postgres:5432"),
        ...each(services, "nats:4222"),
        ...each(withProviders, "simulator:8080"),
      ].sort(),
    );
  });

  it("are none when they are switched off", async () => {
    const manifests = await renderChart("minimal");
    expect(manifests.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });
});
