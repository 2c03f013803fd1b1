import type { IService } from "kubernetes-models/v1";
import { expect, it } from "vitest";
import { renderChart } from "./chart.ts";
import { ofKind } from "./manifest.ts";

const manifests = await renderChart("gitops");

it("without hooks, the chart renders nothing that Helm must run or remove", () => {
  const hooks = manifests.filter(({ metadata }) => "helm.sh/hook" in (metadata.annotations ?? {}));
  expect(hooks).toEqual([]);
  expect(manifests.filter(({ kind }) => kind === "Job")).toEqual([]);
});

it("without hooks, each service that has tables updates them itself", () => {
  expect(JSON.stringify(manifests)).toContain("DATABASE_URL");
  expect(JSON.stringify(manifests)).not.toContain("TOLLGATE_MIGRATE");
});

it("the same values render the same manifests", async () => {
  // A value that is its default renders the chart anew.
  expect(await renderChart("gitops", "log=info")).toEqual(manifests);
});

it("Services have the IP families of the values, and by default those of the cluster", async () => {
  const policies = (all: typeof manifests) =>
    new Set(ofKind<IService>(all, "Service").map(({ spec }) => spec?.ipFamilyPolicy));
  expect(policies(manifests)).toEqual(new Set(["PreferDualStack"]));
  expect(policies(await renderChart("defaults"))).toEqual(new Set([undefined]));
});
