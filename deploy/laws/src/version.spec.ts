import { glob, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

it("every workspace, the chart and the changelog have one version", async () => {
  const versions = new Map<string, string>();
  for await (const path of glob(["{proto,services/**,deploy/*}/package.json"], {
    cwd: root,
    exclude: ["**/node_modules"],
  })) {
    const manifest = JSON.parse(await read(path)) as Manifest;
    versions.set(path, manifest.version ?? "none");
    for (const [name, version] of dependenciesOf(manifest)) {
      if (name.startsWith("@tollgate/")) versions.set(`${path}: ${name}`, version);
    }
  }
  const chart = await read("charts/tollgate/Chart.yaml");
  for (const name of ["version", "appVersion"]) {
    const [, version = "none"] = new RegExp(`^${name}: "?([\\w.-]+)"?$`, "m").exec(chart) ?? [];
    versions.set(`Chart.yaml: ${name}`, version);
  }
  const [, newest = "none"] = /^## (\d\S+)/m.exec(await read("CHANGELOG.md")) ?? [];
  versions.set("CHANGELOG.md", newest);
  const different = [...versions].filter(([, version]) => version !== newest);
  expect(different).toEqual([]);
  expect(versions.size).toBeGreaterThan(20);
});

function dependenciesOf({ dependencies, devDependencies }: Manifest): [string, string][] {
  return Object.entries({ ...dependencies, ...devDependencies });
}
