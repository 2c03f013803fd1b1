import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Cluster } from "./cluster.ts";
import { parseOptions } from "./options.ts";
import { createRelease } from "./release.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

type Call = { command: string; input: string | undefined };

/** Returns a cluster whose `kubectl` is `respond`, and the commands that it is given. */
function fakeCluster(respond: (command: string) => string): { cluster: Cluster; calls: Call[] } {
  const calls: Call[] = [];
  const kubectl = async (args: readonly string[], input?: string) => {
    const command = args.join(" ");
    calls.push({ command, input });
    return respond(command);
  };
  return { cluster: { context: "blue", kubectl } as unknown as Cluster, calls };
}

test("a pull secret is copied from the namespace of the context", async () => {
  const data = { ".dockerconfigjson": "e30=" };
  const secret = { type: "kubernetes.io/dockerconfigjson", data, metadata: { uid: "1" } };
  const { cluster, calls } = fakeCluster(() => JSON.stringify(secret));
  await createRelease(cluster, "new", parseOptions(["--pull-secret", "hub"], []));
  const [read, created] = calls.slice(-2);
  expect(read?.command).toBe("get secret hub --output json");
  expect(created?.command).toBe("--namespace new create --filename -");
  expect(JSON.parse(created?.input ?? "")).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "hub" },
    type: secret.type,
    data,
  });
});

test("a chart is rendered for the version of the cluster", async () => {
  const { cluster } = fakeCluster((command) =>
    command.startsWith("version") ? '{"serverVersion":{"gitVersion":"v1.34.4"}}' : "",
  );
  const rendered = vi.fn(async (_: readonly string[], input?: string) => input ?? "");
  const release = await createRelease({ ...cluster, helm: rendered }, "new", parseOptions([], []));
  const values = JSON.parse(await release.template("gitops", { hooks: false }));
  expect(values).toMatchObject({ hooks: false });
  expect(rendered.mock.lastCall?.[0].join(" ")).toMatch(
    /^--namespace new template gitops \S+ --kube-version v1\.34\.4 --values -$/,
  );
});

test("an account that cannot be created fails with the reason of the last attempt", async () => {
  const { cluster } = fakeCluster((command) => {
    if (command.includes("account create")) throw new Error("no billing pod is ready");
    return "";
  });
  const release = await createRelease(cluster, "new", parseOptions([], []));
  const failed = expect(release.newKey(1)).rejects.toThrow(
    "an account is created: not within 60 s: no billing pod is ready",
  );
  await vi.advanceTimersByTimeAsync(70_000);
  await failed;
});

test("a release is settled when its rollouts are complete and its pods are as many as they should be", async () => {
  const names = ["edge", "chat", "document", "image", "audio", "billing", "console", "ledger"];
  const labelsOf = (name: string) => ({ "app.kubernetes.io/component": name });
  const item = (kind: string, name: string) => ({
    kind,
    metadata: { name: `tollgate-${name}`, labels: labelsOf(name) },
    spec: { replicas: 1 },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  const owners = names.map((name) => item("Deployment", name));
  let reads = 0;
  const { cluster, calls } = fakeCluster((command) => {
    if (!command.includes("get deployments,statefulsets,pods")) return "";
    reads += 1;
    // The ledger's pod is missing at first.
    const pods = names.slice(0, reads < 4 ? -1 : undefined).map((name) => item("Pod", name));
    return JSON.stringify({ items: [...owners, ...pods] });
  });
  const release = await createRelease(cluster, "new", parseOptions([], []));
  const settled = release.settled();
  await vi.advanceTimersByTimeAsync(10_000);
  await settled;
  const rollouts = calls.filter(({ command }) => command.includes("rollout status"));
  expect(rollouts).toHaveLength(names.length);
  expect(rollouts[0]?.command).toBe(
    "--namespace new rollout status deployment/tollgate-edge --timeout=900s",
  );
  expect(reads).toBe(4);
});
