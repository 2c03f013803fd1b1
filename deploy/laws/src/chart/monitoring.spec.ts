import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IConfigMap, IService } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { readChartFile, renderChart } from "./chart.ts";
import { ofKind, selects } from "./manifest.ts";

interface Metric {
  type: "counter" | "gauge" | "histogram";
  labels: string[];
}

interface ServiceMonitor {
  spec: { selector: { matchLabels: Record<string, string> }; endpoints: { port: string }[] };
}

interface PodMonitor {
  spec: {
    selector: { matchLabels: Record<string, string> };
    podMetricsEndpoints: { port: string; relabelings: { targetLabel: string }[] }[];
  };
}

interface PrometheusRule {
  spec: { groups: { rules: AlertRule[] }[] };
}

interface AlertRule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

interface Dashboard {
  panels: {
    id: number;
    gridPos: { x: number; y: number };
    targets: { expr: string; legendFormat: string }[];
  }[];
}

/** The labels that Prometheus and the ServiceMonitor add to every sample. */
const targetLabels = ["namespace", "pod", "service", "component", "part_of"];

const metrics = await readChartFile<Record<string, Metric>>("files/metrics.yaml");

async function alertRules() {
  const [rule] = ofKind<PrometheusRule>(await renderChart("production"), "PrometheusRule");
  return rule?.spec.groups.flatMap(({ rules }) => rules) ?? [];
}

async function dashboard(): Promise<Dashboard> {
  const maps = ofKind<IConfigMap>(await renderChart("production"), "ConfigMap");
  const text = maps.find(({ data }) => data?.["tollgate.json"])?.data?.["tollgate.json"];
  return JSON.parse(text ?? "") as Dashboard;
}

async function expressions(): Promise<string[]> {
  const ofRules = (await alertRules()).map(({ expr }) => expr);
  const ofPanels = (await dashboard()).panels.flatMap(({ targets }) => {
    return targets.map(({ expr }) => expr);
  });
  const ofScalers = ["tollgate_requests_in_flight", "tollgate_open_sockets"];
  return [...ofRules, ...ofPanels, ...ofScalers];
}

/** Returns the metrics that an expression reads, as files/metrics.yaml names them. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:tollgate_\w+|nodejs_\w+|process_\w+|up(?=\{))/g) ?? [];
  return names.map((name) => {
    const family = name.replace(/_(bucket|sum|count)$/, "");
    return metrics[family]?.type === "histogram" ? family : name;
  });
}

/** Returns the labels by which an expression groups or selects. */
function labelsIn(expression: string): string[] {
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => {
    return list.split(/,\s*/);
  });
  const selected = [...expression.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = ""]) => label);
  return [...groups, ...selected];
}

describe("the monitoring expressions", () => {
  it("read metrics that the services export, by labels that these have", async () => {
    for (const expression of await expressions()) {
      const names = metricsIn(expression);
      expect(names.length, expression).toBeGreaterThan(0);
      const labels = names.flatMap((name) => {
        expect(metrics, expression).toHaveProperty(name);
        return metrics[name]?.type === "histogram"
          ? [...metrics[name].labels, "le"]
          : (metrics[name]?.labels ?? []);
      });
      for (const label of labelsIn(expression)) {
        expect([...labels, ...targetLabels], expression).toContain(label);
      }
    }
  });

  it("use every metric in files/metrics.yaml", async () => {
    const watched = (await expressions()).flatMap(metricsIn);
    expect([...new Set(watched)].sort()).toEqual(Object.keys(metrics).sort());
  });

  it("read counters and histograms as rates, and gauges as values", async () => {
    for (const expression of await expressions()) {
      for (const name of metricsIn(expression)) {
        const isRate = new RegExp(`\\b(rate|increase)\\(${name}`).test(expression);
        expect(isRate, expression).toBe(metrics[name]?.type !== "gauge");
      }
    }
  });
});

describe("the monitoring objects", () => {
  it("scrape each pod by a PodMonitor instead, with the same labels", async () => {
    const manifests = await renderChart("defaults", "monitoring.podMonitor.enabled=true");
    const [monitor] = ofKind<PodMonitor>(manifests, "PodMonitor");
    const [endpoint] = monitor?.spec.podMetricsEndpoints ?? [];
    const scraped = ofKind<IDeployment>(manifests, "Deployment").filter(({ spec }) => {
      const { metadata, spec: pod } = spec?.template ?? {};
      const ports = pod?.containers.flatMap(({ ports }) => ports ?? []) ?? [];
      const isScraped = ports.some(({ name }) => name === endpoint?.port);
      return isScraped && selects(monitor?.spec.selector, metadata?.labels ?? {});
    });
    expect(scraped).toHaveLength(8);
    const labels = endpoint?.relabelings.map(({ targetLabel }) => targetLabel);
    expect(labels).toEqual(["component", "part_of", "service"]);
    const both = ["monitoring.podMonitor.enabled=true", "monitoring.serviceMonitor.enabled=true"];
    await expect(renderChart("defaults", ...both)).rejects.toThrow("scrape each pod twice");
  });

  it("scrape each pod of the fleet once", async () => {
    const manifests = await renderChart("production");
    const [monitor] = ofKind<ServiceMonitor>(manifests, "ServiceMonitor");
    const scraped = ofKind<IService>(manifests, "Service").filter(({ metadata, spec }) => {
      const port = spec?.ports?.some(({ name }) => name === monitor?.spec.endpoints[0]?.port);
      return port && selects(monitor?.spec.selector, metadata.labels);
    });
    const components = scraped.map(
      ({ metadata }) => metadata.labels["app.kubernetes.io/component"],
    );
    expect(components.sort()).toEqual([
      "audio",
      "billing",
      "chat",
      "console",
      "document",
      "edge",
      "image",
      "ledger",
    ]);
  });

  it("alert with a severity, a summary and a description", async () => {
    const rules = await alertRules();
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, labels, annotations } of rules) {
      expect(["warning", "critical"], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toBeTruthy();
      expect(annotations.description, alert).toBeTruthy();
    }
  });

  it("draw panels that do not overlap", async () => {
    const { panels } = await dashboard();
    expect(new Set(panels.map(({ gridPos }) => `${gridPos.x},${gridPos.y}`)).size).toBe(
      panels.length,
    );
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
