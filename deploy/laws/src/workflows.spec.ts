import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

const workflows = new URL("../../../.github/workflows/", import.meta.url);
const chartFile = new URL("../../../charts/tollgate/Chart.yaml", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, workflows), "utf8");

// A tag of another repository can be moved, to code that reads the secrets of a release.
it("each action is pinned to a commit, with its version beside it", () => {
  const uses = readdirSync(workflows).flatMap((file) =>
    read(file)
      .split("\n")
      .filter((line) => /^\s*(- )?uses:/.test(line)),
  );
  expect(uses.length).toBeGreaterThan(10);
  const pinned = /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
});

// The tag of git has a v, the version of the chart has none.
it("the release pushes images by the names that its chart pulls", () => {
  const { env, jobs } = parse(read("release.yml")) as Workflow;
  const { appVersion } = parse(readFileSync(chartFile, "utf8")) as { appVersion: string };
  for (const job of [jobs.images, jobs.chart]) {
    const set = job?.steps.find(({ run }) => run?.includes("GITHUB_ENV")) ?? { run: "" };
    const variables = { ...env, ...variablesOf(set.run ?? "", `v${appVersion}`) };
    expect(variables).toEqual({ REGISTRY: "ghcr.io", OWNER: "some-owner", VERSION: appVersion });
  }
  const tags = jobs.images?.steps.map((step) => step.with?.tags).filter(Boolean);
  const [registry, owner, name, version] = [
    "env.REGISTRY",
    "env.OWNER",
    "matrix.name",
    "env.VERSION",
  ].map((value) => `\${{ ${value} }}`);
  expect(tags).toEqual([`${registry}/${owner}/${name}:${version}`]);
});

interface Workflow {
  env: Record<string, string>;
  jobs: Record<string, { steps: { run?: string; with?: { tags?: string } }[] }>;
}

/** Runs a step that sets variables, for a tag of the repository. Returns the variables. */
function variablesOf(script: string, tag: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-workflow-"));
  const file = join(folder, "env");
  try {
    writeFileSync(file, "");
    const env = { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY_OWNER: "Some-Owner", GITHUB_ENV: file };
    execFileSync("bash", ["-euc", script], { env: { ...process.env, ...env } });
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return Object.fromEntries(lines.map((line) => line.split("=")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
