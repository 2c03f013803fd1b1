import { describe, expect, it } from "vitest";
import { lintChart, renderChart, valueSets } from "./chart.ts";
import { createManifestValidator } from "./kubernetes-schema.ts";
import type { Manifest } from "./manifest.ts";

const validator = createManifestValidator();

async function problemsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const problems = await Promise.all(manifests.map((manifest) => validator.problems(manifest)));
  return problems.flat();
}

describe.each(valueSets)("with the values of %s, the chart", (set) => {
  const rendered = renderChart(set);

  it("passes helm lint", async () => {
    expect(await lintChart(set)).toContain("0 chart(s) failed");
  });

  it("renders manifests whose every field the Kubernetes API accepts", async () => {
    const manifests = await rendered;
    expect(await problemsOf(manifests)).toEqual([]);
  });

  it("gives every object a unique name", async () => {
    const names = (await rendered).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^\w+\/gateway-tollgate-[a-z-]+$/.test(name))).toEqual([]);
  });
});

describe("the manifest validator", () => {
  const misspelt: [string, string, string, Parameters<typeof renderChart>[0]][] = [
    ["Deployment", '"imagePullPolicy"', '"imagePullPolice"', "defaults"],
    ["Deployment", '"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"', "defaults"],
    ["StatefulSet", '"volumeClaimTemplates"', '"volumeClaims"', "production"],
    ["NetworkPolicy", '"podSelector"', '"podsSelector"', "defaults"],
    ["PodDisruptionBudget", '"maxUnavailable"', '"maxUnavailble"', "defaults"],
    ["HorizontalPodAutoscaler", '"averageUtilization"', '"average"', "production"],
    ["Job", '"backoffLimit"', '"backOffLimit"', "defaults"],
    ["Certificate", '"renewBefore"', '"renewsBefore"', "production"],
    ["HTTPRoute", '"timeouts"', '"timeout"', "gateway-api"],
    ["ScaledObject", '"metricType"', '"metric"', "keda"],
    ["ServiceMonitor", '"relabelings"', '"relabellings"', "production"],
    ["PrometheusRule", '"alert"', '"alarm"', "production"],
  ];

  it.each(misspelt)("rejects a %s with %s misspelt as %s", async (kind, right, wrong, set) => {
    const found = (await renderChart(set)).find((manifest) => manifest.kind === kind);
    const text = JSON.stringify(found);
    expect(text).toContain(right);
    const manifest = JSON.parse(text.replaceAll(right, wrong)) as Manifest;
    expect((await problemsOf([manifest])).join()).toContain(wrong.replaceAll('"', ""));
  });

  it("rejects a value of the wrong type", async () => {
    const [workload] = (await renderChart("defaults")).filter(({ kind }) => kind === "Deployment");
    const text = JSON.stringify(workload).replace('"containerPort":9090', '"containerPort":"9090"');
    expect((await problemsOf([JSON.parse(text) as Manifest])).join()).toContain("must be integer");
  });
});
