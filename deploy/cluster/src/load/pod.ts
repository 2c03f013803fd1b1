import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Options } from "../options.ts";
import { start } from "../programs.ts";
import type { Release } from "../release.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";

/** A load that runs in the cluster. */
export interface Load {
  /** Ends it after its pending requests. */
  stop(): Promise<LoadResult>;
}

/** A pod with Node and the load's script, in which loads run one after the other. */
export interface LoadPod {
  /** Starts a load. Resolves when it has its first response. */
  start(plan: LoadPlan): Promise<Load>;
  /** Returns the body of a response to GET with this key. Throws for another status than 200. */
  get(url: string, key: string): Promise<string>;
  /** Returns whether a TCP connection to this address is accepted within 3 s. */
  reaches(host: string, port: number): Promise<boolean>;
}

const script = "/load/client.mts";

/** Starts the pod, in the image of the gateway, which has Node. */
export async function startLoadPod(release: Release, { image }: Options): Promise<LoadPod> {
  const { kubectl, namespace } = release;
  const source = await readFile(new URL("client.ts", import.meta.url), "utf8");
  await kubectl(["apply", "--filename", "-"], JSON.stringify(manifestOf(image, source)));
  await kubectl(["wait", "--for=condition=Ready", "pod/load", "--timeout=120s"]);
  const exec = ["exec", "--stdin", "load", "--"];
  return {
    async start(plan) {
      // The image has no shell that could set a variable.
      const text = JSON.stringify(JSON.stringify(plan));
      const code = `process.env.LOAD_PLAN = ${text}; import(${JSON.stringify(script)});`;
      return follow(["--namespace", namespace, ...exec, "/usr/bin/node", "--eval", code]);
    },
    get(url, key) {
      const init = JSON.stringify({ headers: { authorization: `Bearer ${key}` } });
      const code = `
        const response = await fetch(${JSON.stringify(url)}, ${init});
        console.log(await response.text());
        process.exitCode = response.status === 200 ? 0 : 1;`;
      return kubectl([...exec, "/usr/bin/node", "--input-type=module", "--eval", code]);
    },
    async reaches(host, port) {
      const code = `
        const socket = require("node:net").connect(${port}, ${JSON.stringify(host)});
        const done = (isOpen) => process.exit(console.log(isOpen));
        socket.on("connect", () => done(true)).on("error", () => done(false));
        socket.setTimeout(3_000, () => done(false));`;
      return (await kubectl([...exec, "/usr/bin/node", "--eval", code])).trim() === "true";
    },
  };
}

async function follow(args: readonly string[]): Promise<Load> {
  const child = start("kubectl", args);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("kubectl has no standard streams");
  const exited = once(child, "exit");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.value !== "started") throw new Error(`the load did not start: ${first.value}`);
  return {
    async stop() {
      stdin.end();
      const last = await lines.next();
      await exited;
      return JSON.parse(String(last.value)) as LoadResult;
    },
  };
}

function manifestOf({ repository, tag }: Options["image"], source: string) {
  const metadata = { name: "load", labels: { app: "load" } };
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  const container = {
    name: "load",
    image: `${repository}:${tag}`,
    imagePullPolicy: "IfNotPresent",
    command: ["/usr/bin/node", "--eval", "setInterval(() => {}, 1e9)"],
    securityContext,
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    volumeMounts: [{ name: "load", mountPath: "/load" }],
  };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "client.mts": source } },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [container],
          volumes: [{ name: "load", configMap: { name: "load" } }],
          terminationGracePeriodSeconds: 1,
        },
      },
    ],
  };
}
