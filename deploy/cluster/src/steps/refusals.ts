import { type Release, servicesSelector } from "../release.ts";
import { upgradeRefusal } from "./refused-upgrade.ts";
import type { ClusterStep } from "./step.ts";

/** A wrong catalog file, and a Secret that does not exist, change neither the catalog nor a pod. */
export const refusals: ClusterStep = {
  name: "refusals",
  async run({ options, release }) {
    const before = await readState(release);
    const catalog = { content: { models: [{ alias: "broken", route_type: "chat" }] } };
    const secrets = { fleet: { name: "missing", key: "TOLLGATE_FLEET_SECRET" } };
    const texts = [await upgradeRefusal(release, { secrets }, "missing")];
    if (options.catalog === "file") {
      texts.unshift(await upgradeRefusal(release, { catalog }, "broken"));
    }
    const after = await readState(release);
    if (after.catalog !== before.catalog) {
      return { problem: `a refused upgrade changed the catalog to ${after.catalog}` };
    }
    if (after.pods !== before.pods) {
      return { problem: `a refused upgrade changed the pods: ${before.pods} → ${after.pods}` };
    }
    return { note: texts.join("; ") };
  },
};

async function readState({ kubectl }: Release): Promise<{ catalog: string; pods: string }> {
  const data = ["--output", "jsonpath={.data}"];
  const name = ["configmap", "tollgate-catalog", "--ignore-not-found"];
  const catalog = await kubectl(["get", ...name, ...data]);
  const names = ["--selector", servicesSelector, "--output", "name"];
  const pods = (await kubectl(["get", "pods", ...names])).split("\n").filter(Boolean);
  return { catalog, pods: pods.sort().join(" ") };
}
