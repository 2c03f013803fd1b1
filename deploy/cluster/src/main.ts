import { buildImages } from "./build.ts";
import { type Cluster, connectTo, findContext } from "./cluster.ts";
import { diagnose } from "./diagnosis.ts";
import { Interrupt, untilInterrupted, watchInterrupts } from "./interrupt.ts";
import { startLoadPod } from "./load-pod.ts";
import { createNamespace, newNamespaceName, removeNamespace } from "./namespace.ts";
import { type ClusterTestOptions, helpOf, parseOptions } from "./options.ts";
import { publishCatalog } from "./publish-catalog.ts";
import { createRelease } from "./release.ts";
import { createReport, type Report } from "./report.ts";
import { allSteps } from "./steps/all-steps.ts";
import { type Context, creditUsd } from "./steps/step.ts";
import { uninstall } from "./steps/uninstall.ts";
import { catalog } from "./values.ts";

/** `npm run test:cluster`: see `helpOf` in options.ts. */
async function main(args: readonly string[]): Promise<void> {
  const names = allSteps.map(({ name }) => name);
  const options = parseOptions(args, names);
  if (options.help) {
    process.stdout.write(helpOf(names));
    return;
  }
  const context = await findContext();
  const interrupt = watchInterrupts();
  const cluster = connectTo(context, interrupt);
  if (options.build) await buildImages(options, cluster, interrupt);
  await testInNamespace(cluster, options, interrupt);
}

/** Tests in a new namespace, and removes it afterwards, however the test ends. */
async function testInNamespace(
  cluster: Cluster,
  options: ClusterTestOptions,
  interrupt: AbortSignal,
): Promise<void> {
  const namespace = newNamespaceName();
  process.stdout.write(`cluster ${cluster.context}, namespace ${namespace}\n`);
  const report = createReport(interrupt);
  try {
    await createNamespace(cluster, namespace);
    await untilInterrupted(interrupt, runSteps(cluster, namespace, options, report));
  } finally {
    process.stdout.write(`\n${report.table()}`);
    if (options.keep) process.stdout.write(`\nThe namespace ${namespace} is kept.\n`);
    else await removeAtEnd(cluster.context, namespace);
  }
  if (report.hasFailed()) process.exitCode = 1;
}

/** Removes the namespace, also after an interrupt. Prints why it cannot. */
async function removeAtEnd(context: string, namespace: string): Promise<void> {
  try {
    await removeNamespace(connectTo(context), namespace);
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`The namespace ${namespace} could not be deleted: ${message}\n`);
    process.exitCode = 1;
  }
}

/** Installs the chart and runs the steps. A failed install ends the test. */
async function runSteps(
  cluster: Cluster,
  namespace: string,
  options: ClusterTestOptions,
  report: Report,
): Promise<void> {
  const release = await createRelease(cluster, namespace, options);
  const installed: Partial<Pick<Context, "loadPod" | "key">> = {};
  const isInstalled = await report.record("install", async () => {
    await release.deploy();
    if (options.catalog === "database") await publishCatalog(release, catalog);
    installed.loadPod = await startLoadPod(release, options);
    installed.key = await release.newKey(creditUsd);
    return {};
  });
  const { loadPod, key } = installed;
  if (!isInstalled || loadPod === undefined || key === undefined) {
    process.stderr.write(`\n${await diagnose(release)}`);
    return;
  }
  const context: Context = { options, release, loadPod, key, results: [] };
  for (const step of allSteps) {
    if (step === uninstall && options.keep) continue;
    if (options.only.length > 0 && !options.only.includes(step.name)) continue;
    await report.record(step.name, () => step.run(context));
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`test:cluster: ${error instanceof Error ? error.message : error}\n`);
  // Programs that an interrupt has ended may still be pending.
  if (error instanceof Interrupt) process.exit(error.exitCode);
  process.exitCode = 1;
}
