import { CommandError, waitFor } from "../programs.ts";
import { serviceNames } from "../release.ts";
import { type Context, creditUsd, type Step, underLoad, usualLoad } from "./step.ts";

export const helmTest: Step = {
  name: "helm-test",
  async run({ release }) {
    await release.helm(["test", "tollgate", "--logs"]);
    return {};
  },
};

/** A wrong catalog, and a Secret that does not exist, change nothing. */
export const refusals: Step = {
  name: "refusals",
  async run(context) {
    const before = await podNames(context);
    const catalog = { content: { models: [{ alias: "broken", route_type: "chat" }] } };
    const secrets = { fleet: { name: "missing", key: "TOLLGATE_FLEET_SECRET" } };
    const texts = [
      await refusalOf(context, { catalog }, "broken"),
      await refusalOf(context, { secrets }, "missing"),
    ];
    const after = await podNames(context);
    if (after !== before) return { problem: `the pods changed: ${before} became ${after}` };
    return { note: texts.join("; ") };
  },
};

/** An autoscaler that is turned on keeps the replicas, and acts on the metrics of the cluster. */
export const autoscaling: Step = {
  name: "autoscale",
  async run(context) {
    const { release } = context;
    if (!(await hasMetrics(context))) return { skipped: "no metrics API" };
    const counts: number[] = [];
    const finding = await underLoad(context, usualLoad(context), async () => {
      await release.deploy({ autoscaling: { enabled: true } });
      counts.push(...(await replicas(context)));
      await waitFor("every autoscaler has a metric", 300, async () => {
        const path = "{.items[*].status.currentMetrics[0].resource.current.averageUtilization}";
        const values = await release.kubectl(["get", "hpa", "--output", `jsonpath=${path}`]);
        return values.split(" ").filter(Boolean).length === serviceNames.length || undefined;
      });
      await release.deploy({ autoscaling: { enabled: false } });
      await release.settled();
    });
    const few = counts.filter((count) => count < 2).length;
    if (few > 0) return { ...finding, problem: `${few} services had fewer than 2 replicas` };
    return finding;
  },
};

/** A client reaches the edge, and neither the ledger nor the database. */
export const policies: Step = {
  name: "policies",
  async run({ loadPod }) {
    if (!(await loadPod.reaches("tollgate-edge", 8080))) {
      return { problem: "a client does not reach the edge" };
    }
    const denied = [
      ["tollgate-ledger", 9090],
      ["tollgate-postgres", 5432],
    ] as const;
    const open = [];
    for (const [host, port] of denied) if (await loadPod.reaches(host, port)) open.push(host);
    if (open.length === denied.length) return { skipped: "the cluster enforces no policies" };
    return open.length === 0 ? {} : { problem: `a client reaches ${open.join()}` };
  },
};

/** A claim of a StatefulSet cannot change: an upgrade with another size is refused. */
export const spool: Step = {
  name: "spool",
  async run(context) {
    const { release, options } = context;
    if (options.storageClass === undefined) return { skipped: "no --storage-class" };
    const storageClassName = options.storageClass;
    await release.deploy({ spool: { volume: "persistent", size: "1Gi", storageClassName } });
    const text = await refusalOf(context, { spool: { size: "2Gi" } }, "spool.size");
    await release.deploy({ spool: { volume: "emptyDir", size: "1Gi" } });
    await release.settled();
    return { note: text };
  },
};

/** Compares what was charged with the costs in all responses, and verifies the ledger. */
export const books: Step = {
  name: "books",
  async run({ release, loadPod, results, key }) {
    const reportedMicroUsd = sum(results.map(({ costMicroUsd }) => costMicroUsd));
    const failures = sum(results.flatMap(({ failures }) => Object.values(failures)));
    const charged = await waitFor("no hold is left", 120, async () => {
      const text = await loadPod.get("http://tollgate-edge:8080/v1/credits", key);
      const { balance, held } = JSON.parse(text) as Record<"balance" | "held", number>;
      const spent = Math.round((creditUsd - balance) * 1e6);
      return held === 0 && spent >= reportedMicroUsd ? spent : undefined;
    });
    await release.tollgate(["ledger", "verify"]);
    const note = `${charged} micro-USD charged, ${reportedMicroUsd} in responses, ${failures} failures`;
    // A request whose response was lost may have been charged.
    return failures === 0 && charged !== reportedMicroUsd ? { problem: note } : { note };
  },
};

/** What `helm uninstall` may leave: the pod of the test, a hook that failed, and persistent spools. */
const leftovers =
  /^(pod\/tollgate-test|(job\.batch|pod)\/tollgate-catalog-check|persistentvolumeclaim\/spool-)/;

/** The namespace is deleted afterwards. */
export const uninstall: Step = {
  name: "uninstall",
  async run({ release }) {
    await release.helm(["uninstall", "tollgate", "--wait"]);
    const kinds = "all,configmap,serviceaccount,networkpolicy,pdb,hpa,ingress,pvc,secret";
    const own = ["--selector", "app.kubernetes.io/instance=tollgate", "--output", "name"];
    const findLeft = async () =>
      (await release.kubectl(["get", kinds, ...own])).split("\n").filter(Boolean);
    // Pods drain after their Deployments are gone.
    const left = await waitFor("nothing unexpected is left", 180, async () => {
      const names = await findLeft();
      return names.every((name) => leftovers.test(name)) ? names : undefined;
    }).catch(findLeft);
    const unexpected = left.filter((name) => !leftovers.test(name));
    if (unexpected.length > 0) return { problem: `left: ${unexpected.join(" ")}` };
    return { note: `left: ${left.join(" ") || "nothing"}` };
  },
};

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Returns the sentence with which an upgrade with these values is refused. */
async function refusalOf(
  { release }: Context,
  values: Parameters<Context["release"]["deploy"]>[0],
  expected: string,
): Promise<string> {
  try {
    await release.deploy(values);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const line = error.output.split("\n").find((text) => text.includes(expected));
    if (line === undefined) throw error;
    const sentence = line.replace(/^.*error calling fail: /, "").trim();
    return sentence.slice(0, 160);
  }
  throw new Error(`an upgrade with ${JSON.stringify(values)} was accepted`);
}

async function hasMetrics({ release }: Context): Promise<boolean> {
  try {
    await release.kubectl(["get", "--raw", "/apis/metrics.k8s.io/v1beta1/nodes"]);
    return true;
  } catch {
    return false;
  }
}

async function podNames({ release }: Context): Promise<string> {
  const selector = `app.kubernetes.io/component in (${serviceNames.join(",")})`;
  const names = await release.kubectl(["get", "pods", "--selector", selector, "--output", "name"]);
  return names.split("\n").filter(Boolean).sort().join(" ");
}

async function replicas({ release }: Context): Promise<number[]> {
  const names = serviceNames.map((name) => `deployment/tollgate-${name}`);
  const path = "{.items[*].spec.replicas}";
  const counts = await release.kubectl(["get", ...names, "--output", `jsonpath=${path}`]);
  return counts.split(" ").map(Number);
}
