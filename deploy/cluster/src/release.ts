import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Options } from "./options.ts";
import { run, waitFor } from "./programs.ts";

const chart = fileURLToPath(new URL("../../../charts/tollgate", import.meta.url));

export const serviceNames = [
  "edge",
  "chat",
  "document",
  "image",
  "audio",
  "billing",
  "ledger",
] as const;

/** The host of the release's ingress. */
export const ingressHost = "tollgate.test";

export type Values = { [name: string]: unknown };

/** The chart, installed in a namespace of its own. */
export interface Release {
  namespace: string;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Installs the chart, or upgrades the release with further values, and waits for its pods. */
  deploy(values?: Values): Promise<void>;
  /** Runs `helm` with a command for this release. */
  helm(args: readonly string[], input?: string): Promise<string>;
  /** Runs a command of `tollgate` in a billing pod. */
  tollgate(args: readonly string[]): Promise<string>;
  /** Resolves when every pod of the services is ready and none is terminating. */
  settled(): Promise<void>;
  /** Creates an account with credit. Returns its key. */
  newKey(creditUsd: number): Promise<string>;
}

/** Creates the namespace and the Secret of a release. Installs nothing yet. */
export async function createRelease(options: Options): Promise<Release> {
  const namespace = `tollgate-test-${randomBytes(3).toString("hex")}`;
  await run("kubectl", ["create", "namespace", namespace]);
  const kubectl: Release["kubectl"] = (args, input) =>
    run("kubectl", ["--namespace", namespace, ...args], input);
  const helm: Release["helm"] = (args, input) =>
    run("helm", ["--namespace", namespace, ...args], input);
  const secret = `--from-literal=TOLLGATE_FLEET_SECRET=${randomBytes(32).toString("hex")}`;
  await kubectl(["create", "secret", "generic", "tollgate", secret]);
  let values: Values = valuesOf(options);
  const tollgate = (args: readonly string[]) =>
    kubectl(["exec", "deployment/tollgate-billing", "--", "/usr/bin/node", "cli.mjs", ...args]);
  return {
    namespace,
    kubectl,
    helm,
    tollgate,
    async deploy(more = {}) {
      const next = merged(values, more);
      const command = ["upgrade", "tollgate", chart, "--install", "--wait", "--timeout", "5m"];
      await helm([...command, "--values", "-"], JSON.stringify(next));
      values = next;
    },
    async settled() {
      await waitFor("every pod is ready", 900, () => areSettled(kubectl));
    },
    newKey: (creditUsd) =>
      // On a busy node, the command may exceed its connect timeout of 5 s.
      waitFor("an account is created", 60, () =>
        createKey(tollgate, creditUsd).catch(() => undefined),
      ),
  };
}

async function createKey(tollgate: Release["tollgate"], creditUsd: number): Promise<string> {
  const name = `test-${randomBytes(4).toString("hex")}`;
  await tollgate(["account", "create", name, "--credit", String(creditUsd)]);
  const { key } = JSON.parse(await tollgate(["key", "create", name, "--json"])) as { key: string };
  return key;
}

interface PodList {
  items: {
    metadata: { deletionTimestamp?: string };
    status: { phase: string; conditions?: { type: string; status: string }[] };
  }[];
}

/** Returns true when every pod of the services is ready and none is terminating. */
async function areSettled(kubectl: Release["kubectl"]): Promise<true | undefined> {
  const selector = `app.kubernetes.io/component in (${serviceNames.join(",")})`;
  const json = await kubectl(["get", "pods", "--selector", selector, "--output", "json"]);
  const { items } = JSON.parse(json) as PodList;
  const isReady = ({ metadata, status: { conditions = [] } }: PodList["items"][number]) =>
    metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return items.length > 0 && items.every(isReady) ? true : undefined;
}

/** Returns the values with those of `more`, in which an object is merged and anything else replaced. */
function merged(values: Values, more: Values): Values {
  const result = { ...values };
  for (const [name, value] of Object.entries(more)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valuesOf({ image, simulator, postgres, nats, ingress }: Options): Values {
  const pricing = { per: 1_000_000, input: "0.10", output: "0.40" };
  const chat = { route_type: "chat", context_tokens: 32_768, max_output_tokens: 4_096, pricing };
  const slot = (model: string) => ({ chain: [{ provider: "simulator", model }] });
  return {
    image,
    dev: {
      postgres: { enabled: true, ...(postgres === undefined ? {} : { image: postgres }) },
      nats: { enabled: true, ...(nats === undefined ? {} : { image: nats }) },
      simulator: { enabled: true, image: simulator },
    },
    services: {
      defaults: { replicas: 2, resources: { requests: { cpu: "25m", memory: "128Mi" } } },
    },
    catalog: {
      content: {
        providers: { simulator: { base_url_env: "TOLLGATE_SIMULATOR_URL", timeout_seconds: 60 } },
        models: [
          { alias: "test-chat", ...chat, ...slot("sim-small") },
          // Streams of five seconds. Proxies written in Go may cut off a response that begins before
          // they have finished the request (https://github.com/golang/go/issues/40747), which a
          // provider never does.
          { alias: "test-stream", ...chat, ...slot("sim-small?delay_ms=200&chunks=100&gap_ms=50") },
          {
            alias: "test-transcribe",
            route_type: "transcriptions",
            language: "auto",
            pricing: { per: 1, price: "0.0001" },
            chain: [
              { provider: "simulator", model: "sim-transcribe", stream_path: "/audio/stream" },
            ],
          },
        ],
      },
    },
    networkPolicy: {
      ingressFrom: [
        { podSelector: { matchLabels: { app: "load" } } },
        ...(ingress === undefined ? [] : [{ namespaceSelector: {} }]),
      ],
    },
    ...(ingress === undefined
      ? {}
      : { ingress: { enabled: true, className: ingress.className, host: ingressHost } }),
  };
}
