import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Cluster } from "./cluster.ts";
import type { ClusterTestOptions } from "./options.ts";
import { copyPullSecret } from "./pull-secret.ts";
import { namesOf, unsettled, type Workloads } from "./rollout.ts";
import { merged, type Values, valuesOf } from "./values.ts";
import { retry } from "./wait-for.ts";

const chart = fileURLToPath(new URL("../../../charts/tollgate", import.meta.url));

/** The services that clients' requests need, which have as many replicas as the values say for all. */
export const scaledServices = [
  "edge",
  "chat",
  "document",
  "image",
  "audio",
  "billing",
  "ledger",
] as const;

export const deployedServices = [...scaledServices, "console"] as const;

/** The labels of the pods of all services. */
export const servicesSelector = `app.kubernetes.io/component in (${deployedServices.join(",")})`;

/** The longest time in which the pods of a change become ready, and those before it end. */
const settleSeconds = 900;

/** The chart, installed in a namespace of its own. */
export interface Release {
  namespace: string;
  /** The host of the release's ingress. */
  ingressHost: string;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Starts kubectl. The caller uses its standard input and output. */
  startKubectl(args: readonly string[]): ChildProcess;
  /** Installs the chart, or upgrades the release with further values, and waits for its pods. */
  deploy(values?: Values): Promise<void>;
  /** Runs `helm` with a command for this release. */
  helm(args: readonly string[], input?: string): Promise<string>;
  /**
   * Renders the chart for the cluster's version, with the values of the release and further ones, as
   * another release.
   */
  template(name: string, values: Values): Promise<string>;
  /** Runs a command of `tollgate` in a billing pod. */
  tollgate(args: readonly string[]): Promise<string>;
  /**
   * Resolves when every rollout is complete, and every service has exactly as many ready pods as it
   * should and no terminating ones.
   */
  settled(): Promise<void>;
  /** Creates an account with credit. Returns its key. */
  newKey(creditUsd: number): Promise<string>;
}

/** Creates the Secrets of a release in a namespace. Installs nothing yet. */
export async function createRelease(
  cluster: Cluster,
  namespace: string,
  options: ClusterTestOptions,
): Promise<Release> {
  const inNamespace = (args: readonly string[]) => ["--namespace", namespace, ...args];
  const kubectl: Release["kubectl"] = (args, input) => cluster.kubectl(inNamespace(args), input);
  const helm: Release["helm"] = (args, input) => cluster.helm(inNamespace(args), input);
  const tollgate = (args: readonly string[]) =>
    kubectl(["exec", "deployment/tollgate-billing", "--", "/usr/bin/node", "cli.mjs", ...args]);
  const secrets = ["FLEET", "OPERATOR"].map(
    (name) => `--from-literal=TOLLGATE_${name}_SECRET=${randomBytes(32).toString("hex")}`,
  );
  await kubectl(["create", "secret", "generic", "tollgate", ...secrets]);
  if (options.pullSecret !== undefined) {
    await copyPullSecret(cluster, options.pullSecret, namespace);
  }
  const ingressHost = `${namespace}.test`;
  let values = valuesOf(options, ingressHost);
  return {
    namespace,
    ingressHost,
    kubectl,
    startKubectl: (args) => cluster.startKubectl(inNamespace(args)),
    helm,
    async template(name, more) {
      const command = ["template", name, chart, "--kube-version", await serverVersion(cluster)];
      return helm([...command, "--values", "-"], JSON.stringify(merged(values, more)));
    },
    tollgate,
    async deploy(more = {}) {
      const next = merged(values, more);
      const command = ["upgrade", "tollgate", chart, "--install", "--wait", "--timeout", "5m"];
      await helm([...command, "--values", "-"], JSON.stringify(next));
      values = next;
    },
    settled: () => settle(kubectl),
    // On a busy node, the command may exceed its connect timeout of 5 s.
    newKey: (creditUsd) => retry("an account is created", 60, () => createKey(tollgate, creditUsd)),
  };
}

/** Without it, `helm template` renders for the version of Kubernetes that Helm was built for. */
async function serverVersion(cluster: Cluster): Promise<string> {
  const json = await cluster.kubectl(["version", "--output", "json"]);
  const { serverVersion } = JSON.parse(json) as { serverVersion: { gitVersion: string } };
  return serverVersion.gitVersion;
}

async function settle(kubectl: Release["kubectl"]): Promise<void> {
  for (const name of namesOf(await readWorkloads(kubectl))) {
    await kubectl(["rollout", "status", name, `--timeout=${settleSeconds}s`]);
  }
  await retry("every pod is ready", settleSeconds, async () => {
    const reasons = unsettled(await readWorkloads(kubectl), deployedServices);
    if (reasons.length > 0) throw new Error(reasons.join("; "));
  });
}

async function readWorkloads(kubectl: Release["kubectl"]): Promise<Workloads> {
  const kinds = "deployments,statefulsets,pods";
  const json = await kubectl(["get", kinds, "--selector", servicesSelector, "--output", "json"]);
  return JSON.parse(json) as Workloads;
}

async function createKey(tollgate: Release["tollgate"], creditUsd: number): Promise<string> {
  const name = `test-${randomBytes(4).toString("hex")}`;
  await tollgate(["account", "create", name, "--credit", String(creditUsd)]);
  const { key } = JSON.parse(await tollgate(["key", "create", name, "--json"])) as { key: string };
  return key;
}
