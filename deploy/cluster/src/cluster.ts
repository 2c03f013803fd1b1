import type { ChildProcess } from "node:child_process";
import { CommandError, run, start } from "./programs.ts";

/** The programs that speak to one cluster, whatever the current context becomes meanwhile. */
export interface Cluster {
  context: string;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  helm(args: readonly string[], input?: string): Promise<string>;
  /** Starts kubectl. The caller uses its standard input and output. */
  startKubectl(args: readonly string[]): ChildProcess;
}

/** The first version that prints the log of a failed hook. */
const oldestHelm = { major: 3, minor: 18 };

/** Returns the cluster of a context. Its programs end when `signal` is aborted. */
export function connectTo(context: string, signal?: AbortSignal): Cluster {
  const ofKubectl = (args: readonly string[]) => ["--context", context, ...args];
  const ofHelm = (args: readonly string[]) => ["--kube-context", context, ...args];
  return {
    context,
    kubectl: (args, input) => run("kubectl", ofKubectl(args), { input, signal }),
    helm: (args, input) => run("helm", ofHelm(args), { input, signal }),
    startKubectl: (args) => start("kubectl", ofKubectl(args), signal),
  };
}

/** Returns the current context. Throws with every reason why this machine cannot test with it. */
export async function findContext(): Promise<string> {
  const [helm, context] = await Promise.allSettled([checkHelm(), findClusterContext()]);
  if (helm.status === "fulfilled" && context.status === "fulfilled") return context.value;
  const reasons = [helm, context].flatMap((result) =>
    result.status === "rejected" ? [`- ${(result.reason as Error).message}`] : [],
  );
  const needs = "it needs kubectl, Helm 3.18 or newer, and a cluster that responds";
  throw new Error(`${needs} (see --help):\n${reasons.join("\n")}`);
}

async function checkHelm(): Promise<void> {
  const version = (await run("helm", ["version", "--template", "{{.Version}}"])).trim();
  if (!isNewEnough(version)) throw new Error(`helm is ${version || "of an unknown version"}`);
}

/** Returns whether a version of Helm, such as `v3.18.2`, can be used. */
function isNewEnough(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return false;
  if (Number(major) !== oldestHelm.major) return Number(major) > oldestHelm.major;
  return Number(minor) >= oldestHelm.minor;
}

async function findClusterContext(): Promise<string> {
  const context = (
    await explained("kubectl has no current context", run("kubectl", ["config", "current-context"]))
  ).trim();
  const readyz = ["get", "--raw", "/readyz", "--request-timeout=10s"];
  await explained(`the cluster ${context} does not respond`, connectTo(context).kubectl(readyz));
  return context;
}

/** Resolves as `command` does. Puts what its failure means before its last line of output. */
async function explained(meaning: string, command: Promise<string>): Promise<string> {
  try {
    return await command;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const line = error.output.trim().split("\n").at(-1);
    throw new Error(line ? `${meaning}: ${line}` : meaning);
  }
}
