import { upgradeRefusal } from "./refused-upgrade.ts";
import type { ClusterStep } from "./step.ts";

/** A claim of a StatefulSet cannot change: an upgrade with another size is refused. */
export const spool: ClusterStep = {
  name: "spool",
  async run({ release, options: { storageClass } }) {
    if (storageClass === undefined) return { skipped: "no --storage-class" };
    const persistent = { volume: "persistent", size: "1Gi", storageClassName: storageClass };
    await release.deploy({ spool: persistent });
    const text = await upgradeRefusal(release, { spool: { size: "2Gi" } }, "spool.size");
    await release.deploy({ spool: { volume: "emptyDir" } });
    await release.settled();
    return { note: text };
  },
};
