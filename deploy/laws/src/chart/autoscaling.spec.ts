import type { IScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { describe, expect, it } from "vitest";
import { renderChart } from "./chart.ts";
import { ofKind, serversOf } from "./manifest.ts";

/** The metrics by which each service is scaled, besides its CPU. */
const ownMetrics: Record<string, string[]> = {
  audio: ["tollgate_requests_in_flight", "tollgate_open_sockets"],
  billing: [],
  chat: ["tollgate_requests_in_flight"],
  console: [],
  document: ["tollgate_requests_in_flight"],
  edge: [],
  image: ["tollgate_requests_in_flight"],
  ledger: [],
};

function componentOf({ metadata }: { metadata: { labels: Record<string, string> } }): string {
  return metadata.labels["app.kubernetes.io/component"] ?? "";
}

describe("autoscaling", () => {
  it("is off by default, and the values set the replicas", async () => {
    const manifests = await renderChart("defaults", "services.chat.replicas=5");
    expect(ofKind(manifests, "HorizontalPodAutoscaler")).toEqual([]);
    const chat = serversOf(manifests).find(({ component }) => component === "chat");
    expect(chat?.owner).toHaveProperty("spec.replicas", 5);
  });

  it("uses only CPU unless autoscaling.podMetrics is set", async () => {
    const manifests = await renderChart("defaults", "autoscaling.enabled=true");
    const scalers = ofKind<IHorizontalPodAutoscaler>(manifests, "HorizontalPodAutoscaler");
    expect(scalers.map(componentOf).sort()).toEqual(Object.keys(ownMetrics));
    for (const { spec } of scalers) {
      expect(spec?.metrics?.map(({ type }) => type)).toEqual(["Resource"]);
    }
  });

  it("targets the workloads, which then set no replicas", async () => {
    const manifests = await renderChart("production");
    const scalers = ofKind<IHorizontalPodAutoscaler>(manifests, "HorizontalPodAutoscaler");
    for (const { component, owner } of serversOf(manifests)) {
      const scaler = scalers.find((one) => componentOf(one) === component);
      expect(scaler?.spec?.scaleTargetRef).toEqual({
        apiVersion: "apps/v1",
        kind: owner.kind,
        name: owner.metadata.name,
      });
      expect(owner).not.toHaveProperty("spec.replicas");
      const metrics = scaler?.spec?.metrics?.flatMap(({ pods }) => pods?.metric.name ?? []);
      expect(metrics, component).toEqual(ownMetrics[component]);
    }
    const bounds = scalers.map((one) => [componentOf(one), one.spec?.maxReplicas]);
    expect(Object.fromEntries(bounds)).toMatchObject({ ledger: 6, chat: 30 });
  });

  it("uses KEDA instead of HorizontalPodAutoscalers when enabled", async () => {
    const manifests = await renderChart("keda");
    expect(ofKind(manifests, "HorizontalPodAutoscaler")).toEqual([]);
    const scaled = ofKind<IScaledObject>(manifests, "ScaledObject");
    expect(scaled.map(componentOf).sort()).toEqual(Object.keys(ownMetrics));
    for (const one of scaled) {
      const component = componentOf(one);
      const queries = one.spec.triggers.flatMap(({ metadata }) => metadata.query ?? []);
      expect(queries).toEqual(
        (ownMetrics[component] ?? []).map(
          (metric) =>
            `sum(${metric}{namespace="inference",service="gateway-tollgate-${component}"})`,
        ),
      );
    }
  });

  it("adds pods at once, and removes one a minute after five quiet minutes", async () => {
    const byKubernetes = ofKind<IHorizontalPodAutoscaler>(
      await renderChart("production"),
      "HorizontalPodAutoscaler",
    ).map(({ spec }) => spec?.behavior);
    const byKeda = ofKind<IScaledObject>(await renderChart("keda"), "ScaledObject").map(
      ({ spec }) => spec.advanced?.horizontalPodAutoscalerConfig?.behavior,
    );
    const services = Object.keys(ownMetrics).length;
    expect([byKubernetes.length, byKeda.length]).toEqual([services, services]);
    for (const behavior of [...byKubernetes, ...byKeda]) {
      expect(behavior?.scaleUp?.stabilizationWindowSeconds).toBeUndefined();
      expect(behavior?.scaleUp?.policies).toEqual([
        { type: "Percent", value: 100, periodSeconds: 30 },
        { type: "Pods", value: 2, periodSeconds: 30 },
      ]);
      expect(behavior?.scaleDown).toEqual({
        stabilizationWindowSeconds: 300,
        policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
      });
    }
  });
});
