import { loadPodLabels } from "../load-pod.ts";
import { becomesTrue } from "../wait-for.ts";
import type { ClusterStep, Context } from "./step.ts";

/** The longest time in which an agent applies a policy. */
const appliedSeconds = 30;

/** A client reaches the edge, and none of the servers behind it. */
export const policies: ClusterStep = {
  name: "policies",
  async run(context) {
    const { loadPod } = context;
    if (!(await reachesEdge(context))) return { problem: "a client does not reach the edge" };
    if (!(await areEnforced(context))) return { skipped: "policies are not enforced here" };
    if (!(await becomesTrue(appliedSeconds, () => reachesEdge(context)))) {
      return { problem: "a client does not reach the edge after a policy was deleted" };
    }
    const open = [];
    for (const [host, port] of denied) if (await loadPod.reaches(host, port)) open.push(host);
    return open.length === 0 ? {} : { problem: `a client reaches ${open.join(", ")}` };
  },
};

const denied = [
  ["tollgate-ledger", 9090],
  ["tollgate-chat", 9090],
  ["tollgate-postgres", 5432],
  ["tollgate-nats", 4222],
  ["tollgate-simulator", 8080],
] as const;

const denyEgress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "load-deny-egress" },
  spec: { podSelector: { matchLabels: loadPodLabels }, policyTypes: ["Egress"] },
};

/** Returns whether a policy that denies the client all connections has an effect. */
async function areEnforced(context: Context): Promise<boolean> {
  const { kubectl } = context.release;
  await kubectl(["apply", "--filename", "-"], JSON.stringify(denyEgress));
  try {
    return await becomesTrue(appliedSeconds, async () => !(await reachesEdge(context)));
  } finally {
    await kubectl(["delete", "networkpolicy", denyEgress.metadata.name]);
  }
}

function reachesEdge({ loadPod }: Context): Promise<boolean> {
  return loadPod.reaches("tollgate-edge", 8080);
}
