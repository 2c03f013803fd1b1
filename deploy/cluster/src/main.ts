import { styleText } from "node:util";
import { buildImages } from "./build.ts";
import { startLoadPod } from "./load/pod.ts";
import { help, parseOptions } from "./options.ts";
import { run } from "./programs.ts";
import { createRelease } from "./release.ts";
import {
  autoscaling,
  books,
  helmTest,
  policies,
  refusals,
  spool,
  uninstall,
} from "./steps/chart.ts";
import {
  deletions,
  edgeReplacements,
  edgeReplacementsBehindIngress,
  forcedDeletions,
  scaling,
  upgrades,
} from "./steps/replacements.ts";
import { sdkThroughIngress, sdkThroughService } from "./steps/sdk.ts";
import { type Context, creditUsd, type Finding, type Step } from "./steps/step.ts";
import { type Row, table } from "./table.ts";

/**
 * In this order. `books` compares what all loads before it were charged. Of the requests that
 * `kill-pods` cuts off afterwards, some are charged although their responses are lost.
 */
const steps: readonly Step[] = [
  helmTest,
  sdkThroughService,
  sdkThroughIngress,
  policies,
  refusals,
  upgrades,
  edgeReplacements,
  edgeReplacementsBehindIngress,
  scaling,
  autoscaling,
  deletions,
  books,
  forcedDeletions,
  spool,
  uninstall,
];

const rows: Row[] = [];

/** `npm run test:cluster`: see `help` in options.ts. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(help);
    return;
  }
  const unknown = options.only.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    const names = steps.map(({ name }) => name).join(", ");
    throw new TypeError(`--only: there is no step ${unknown.join(", ")}, only ${names}`);
  }
  const cluster = await findCluster();
  if (cluster === undefined) {
    process.stderr.write(
      "test:cluster needs kubectl, helm, and a cluster that responds: set a current context, or see\n" +
        "`npm run test:cluster -- --help`.\n",
    );
    process.exitCode = 1;
    return;
  }
  if (options.build) await buildImages(options, cluster.context);
  const release = await createRelease(options);
  process.stdout.write(`cluster ${cluster.context}, namespace ${release.namespace}\n`);
  const remove = () => run("kubectl", ["delete", "namespace", release.namespace, "--wait=false"]);
  process.once("SIGINT", () => void remove().finally(() => process.exit(130)));
  try {
    await record("install", async () => {
      await release.deploy();
      return {};
    });
    const loadPod = await startLoadPod(release, options);
    const key = await release.newKey(creditUsd);
    const context: Context = { options, release, loadPod, key, results: [] };
    for (const step of steps) {
      if (step === uninstall && options.keep) continue;
      if (options.only.length > 0 && !options.only.includes(step.name)) continue;
      await record(step.name, () => step.run(context));
    }
  } finally {
    process.stdout.write(`\n${table(rows)}`);
    if (!options.keep) await remove();
  }
  process.exitCode = rows.every(({ outcome }) => outcome !== "FAILED") ? 0 : 1;
}

async function findCluster(): Promise<{ context: string } | undefined> {
  try {
    await run("helm", ["version"]);
    await run("kubectl", ["get", "--raw", "/readyz", "--request-timeout=10s"]);
    return { context: (await run("kubectl", ["config", "current-context"])).trim() };
  } catch {
    return undefined;
  }
}

/** Runs a step, prints its result at once, and adds it to the table. A failed install ends the run. */
async function record(step: string, action: () => Promise<Finding>): Promise<void> {
  const startedAt = performance.now();
  const finding = await action().catch((error: Error): Finding => ({ problem: error.message }));
  const { problem, skipped, load } = finding;
  const note = problem ?? skipped ?? finding.note;
  const row: Row = {
    step,
    outcome: problem !== undefined ? "FAILED" : skipped !== undefined ? "skipped" : "passed",
    seconds: (performance.now() - startedAt) / 1_000,
    ...(load && {
      requests: load.requests,
      failures: Object.values(load.failures).reduce((sum, count) => sum + count, 0),
      slowestMs: load.slowestMs,
    }),
    ...(note && { note: note.replaceAll(/\s+/g, " ").slice(0, 300) }),
  };
  rows.push(row);
  const color = row.outcome === "FAILED" ? "red" : "green";
  process.stdout.write(`${styleText(color, row.outcome)} ${step} ${row.note ?? ""}\n`);
  if (step === "install" && problem !== undefined) throw new Error(problem);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`test:cluster: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
