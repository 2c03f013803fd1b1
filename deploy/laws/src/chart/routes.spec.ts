import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type { IIngress } from "kubernetes-models/networking.k8s.io/v1";
import type { IService } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { renderChart } from "./chart.ts";
import { ofKind } from "./manifest.ts";

/** The longest duration of a chat stream, and the largest body that the edge accepts. */
const longestRequestSeconds = 1_800;
const largestBodyMiB = 32;

describe("client traffic", () => {
  it("is not exposed by default: no Service has an address outside the cluster", async () => {
    const manifests = await renderChart("defaults");
    const exposing = manifests.filter(({ kind }) => kind === "Ingress" || kind === "HTTPRoute");
    expect(exposing).toEqual([]);
    for (const { spec } of ofKind<IService>(manifests, "Service")) {
      expect(spec?.type ?? "ClusterIP").toBe("ClusterIP");
    }
  });

  it("through an Ingress allows long streams, large bodies and unbuffered events", async () => {
    const [ingress] = ofKind<IIngress>(await renderChart("production"), "Ingress");
    const setting = (name: string) => {
      return ingress?.metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`] ?? "";
    };
    expect(Number.parseInt(setting("proxy-body-size"), 10)).toBeGreaterThan(largestBodyMiB);
    expect(Number(setting("proxy-read-timeout"))).toBeGreaterThanOrEqual(longestRequestSeconds);
    expect(Number(setting("proxy-send-timeout"))).toBeGreaterThanOrEqual(longestRequestSeconds);
    expect([setting("proxy-buffering"), setting("proxy-request-buffering")]).toEqual([
      "off",
      "off",
    ]);
    // A proxy that retries a POST would pay for it twice.
    expect(setting("proxy-next-upstream")).toBe("off");
    expect(ingress?.spec?.tls).toEqual([
      { hosts: ["api.example.com"], secretName: "api-example-com" },
    ]);
    const backend = ingress?.spec?.rules?.[0]?.http?.paths[0]?.backend.service;
    expect(backend).toEqual({ name: "gateway-tollgate-edge", port: { name: "http" } });
  });

  it("of operators has an Ingress and a host of its own", async () => {
    const ingresses = ofKind<IIngress>(await renderChart("production"), "Ingress");
    const rules = ingresses.flatMap(({ spec }) => spec?.rules ?? []);
    const backends = rules.map(({ host, http }) => [host, http?.paths[0]?.backend.service]);
    expect(Object.fromEntries(backends)).toEqual({
      "api.example.com": { name: "gateway-tollgate-edge", port: { name: "http" } },
      "console.example.com": { name: "gateway-tollgate-console", port: { name: "console" } },
      "customers.example.com": { name: "gateway-tollgate-console", port: { name: "customers" } },
      "webhooks.example.com": { name: "gateway-tollgate-console", port: { name: "console" } },
    });
  });

  it("through a Gateway has a timeout, except for live sockets", async () => {
    const [route] = ofKind<IHTTPRoute>(await renderChart("gateway-api"), "HTTPRoute");
    const rules = route?.spec?.rules?.map(({ matches, timeouts }) => {
      return [matches?.[0]?.path?.value, timeouts?.request];
    });
    expect(rules).toEqual([
      ["/v1/audio/transcriptions/stream", "0s"],
      ["/", `${longestRequestSeconds}s`],
    ]);
    const backends = route?.spec?.rules?.flatMap(({ backendRefs }) => backendRefs ?? []);
    for (const backend of backends ?? []) {
      expect(backend).toEqual({ name: "gateway-tollgate-edge", port: 8080 });
    }
  });

  it("between services uses names that resolve to every ready pod", async () => {
    const found = ofKind<IService>(await renderChart("defaults"), "Service");
    const headless = found.filter(({ spec }) => spec?.clusterIP === "None");
    expect(headless.map(({ metadata }) => metadata.name).sort()).toEqual(
      ["audio", "billing", "chat", "console", "document", "edge", "image", "ledger"].map(
        (service) => `gateway-tollgate-${service}-headless`,
      ),
    );
    for (const { spec } of headless) {
      expect(spec?.ports?.map(({ name, port }) => [name, port])).toEqual([["grpc", 9090]]);
      expect(spec?.publishNotReadyAddresses ?? false).toBe(false);
    }
  });
});
