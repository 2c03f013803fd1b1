import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
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

it("only what serves helm install and upgrade looks objects up in the cluster", async () => {
  const templates = new URL("../../../../charts/tollgate/templates/", import.meta.url);
  const files = await readdir(templates, { recursive: true, withFileTypes: true });
  const reading = files
    .filter((file) => file.isFile())
    .map(async ({ name, parentPath }) => {
      const text = await readFile(join(parentPath, name), "utf8");
      return /\blookup "/.test(text) ? [name] : [];
    });
  expect((await Promise.all(reading)).flat()).toEqual(["_live.tpl"]);
});

it("Services have the IP families of the values, and by default those of the cluster", async () => {
  const familiesOf = (all: typeof manifests) =>
    ofKind<IService>(all, "Service").map(({ spec }) => [spec?.ipFamilyPolicy, spec?.ipFamilies]);
  const both = ["ipFamilies[0]=IPv6", "ipFamilies[1]=IPv4", "ipFamilyPolicy=RequireDualStack"];
  for (const set of ["defaults", "dev"] as const) {
    const chosen = familiesOf(await renderChart(set, ...both));
    expect(new Set(chosen.map(String)), set).toEqual(new Set(["RequireDualStack,IPv6,IPv4"]));
    const usual = familiesOf(await renderChart(set));
    expect(usual.flat().filter(Boolean), set).toEqual([]);
  }
});
