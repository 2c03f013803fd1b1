import { becomesTrue } from "../wait-for.ts";
import type { ClusterStep } from "./step.ts";

/** What `helm uninstall` may leave: the pod of the test, a hook that failed, and persistent spools. */
const leftovers =
  /^(pod\/tollgate-test|(job\.batch|pod)\/tollgate-catalog-check|persistentvolumeclaim\/spool-)/;

const kinds = "all,configmap,serviceaccount,networkpolicy,pdb,hpa,ingress,pvc,secret";

/** The namespace is deleted afterwards. */
export const uninstall: ClusterStep = {
  name: "uninstall",
  async run({ release }) {
    await release.helm(["uninstall", "tollgate", "--wait"]);
    const own = ["--selector", "app.kubernetes.io/instance=tollgate", "--output", "name"];
    let left: string[] = [];
    // Pods drain after their Deployments are gone.
    const isClean = await becomesTrue(180, async () => {
      left = (await release.kubectl(["get", kinds, ...own])).split("\n").filter(Boolean);
      return left.every((name) => leftovers.test(name));
    });
    if (isClean) return { note: `left: ${left.join(" ") || "nothing"}` };
    return { problem: `left: ${left.filter((name) => !leftovers.test(name)).join(" ")}` };
  },
};
