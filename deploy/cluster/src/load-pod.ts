import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { LoadPlan, PodLoadResult } from "./load/plan.ts";
import type { ClusterTestOptions } from "./options.ts";
import type { Release } from "./release.ts";

/** A load that runs in the cluster. */
export interface RunningLoad {
  /** Ends it after its pending requests. */
  stop(): Promise<PodLoadResult>;
}

/** A pod with Node and the load's program, in which loads run one after the other. */
export interface LoadPod {
  /** Starts a load. Resolves when it has its first response. */
  start(plan: LoadPlan): Promise<RunningLoad>;
  /** Returns the body of a response to GET. Throws for another status than 200. */
  get(url: string, headers: Record<string, string>): Promise<string>;
  /** Returns whether a TCP connection to this address is accepted within 3 s. */
  reaches(host: string, port: number): Promise<boolean>;
}

/** The label by which a policy selects the pod. */
export const loadPodLabels = { app: "load" } as const;

const folder = "/load";
const program = `${folder}/client.ts`;

/** Starts the pod, in the image of the gateway, which has Node. */
export async function startLoadPod(
  release: Release,
  options: ClusterTestOptions,
): Promise<LoadPod> {
  const { kubectl, startKubectl } = release;
  const manifest = manifestOf(options, await readSources());
  await kubectl(["apply", "--filename", "-"], JSON.stringify(manifest));
  await kubectl(["wait", "--for=condition=Ready", "pod/load", "--timeout=120s"]);
  const node = ["exec", "--stdin", "load", "--", "/usr/bin/node"];
  return {
    start(plan) {
      // The image has no shell that could set a variable.
      const text = JSON.stringify(JSON.stringify(plan));
      const code = `process.env.LOAD_PLAN = ${text}; import(${JSON.stringify(program)});`;
      return follow(startKubectl([...node, "--eval", code]));
    },
    get: (url, headers) => kubectl([...node, "--eval", getCode(url, headers)]),
    async reaches(host, port) {
      return (await kubectl([...node, "--eval", reachCode(host, port)])).trim() === "true";
    },
  };
}

function getCode(url: string, headers: Record<string, string>): string {
  // Unlike fetch, this sends the `Host` header that it is given.
  return `
    const options = { headers: ${JSON.stringify(headers)}, timeout: 10_000 };
    const sent = require("node:http").get(${JSON.stringify(url)}, options, (response) => {
      process.exitCode = response.statusCode === 200 ? 0 : 1;
      response.pipe(process.stdout);
    });
    sent.on("timeout", () => sent.destroy(new Error("no response within 10 s")));`;
}

function reachCode(host: string, port: number): string {
  return `
    const socket = require("node:net").connect(${port}, ${JSON.stringify(host)});
    const done = (isOpen) => process.exit(console.log(isOpen));
    socket.on("connect", () => done(true)).on("error", () => done(false));
    setTimeout(() => done(false), 3_000);`;
}

async function follow(child: ReturnType<Release["startKubectl"]>): Promise<RunningLoad> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("kubectl has no standard streams");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const closed = once(stdout, "close");
  const first = await lines.next();
  if (first.value !== "started") throw new Error(`the load did not start: ${first.value}`);
  return {
    async stop() {
      stdin.end();
      const last = await lines.next();
      if (last.done) throw new Error("the load ended without a result");
      await closed;
      return JSON.parse(last.value) as PodLoadResult;
    },
  };
}

/** Returns the files of the program that the pod runs. */
async function readSources(): Promise<Record<string, string>> {
  const source = new URL("load/", import.meta.url);
  const names = (await readdir(source)).filter((name) => !name.endsWith(".spec.ts"));
  const files = names.map(async (name) => [name, await readFile(new URL(name, source), "utf8")]);
  return { ...Object.fromEntries(await Promise.all(files)), "package.json": '{"type":"module"}' };
}

function manifestOf({ image, pullSecret }: ClusterTestOptions, sources: Record<string, string>) {
  const metadata = { name: "load", labels: loadPodLabels };
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  const container = {
    name: "load",
    image: `${image.repository}:${image.tag}`,
    imagePullPolicy: "IfNotPresent",
    command: ["/usr/bin/node", "--eval", "setInterval(() => {}, 1e9)"],
    securityContext,
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    volumeMounts: [{ name: "load", mountPath: folder }],
  };
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(pullSecret === undefined ? {} : { imagePullSecrets: [{ name: pullSecret }] }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [container],
    volumes: [{ name: "load", configMap: { name: "load" } }],
    terminationGracePeriodSeconds: 1,
  };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: sources },
      { apiVersion: "v1", kind: "Pod", metadata, spec },
    ],
  };
}
