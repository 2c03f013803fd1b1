import { scaledServices } from "../release.ts";
import { type ClusterStep, underLoad, usualLoad } from "./step.ts";

export const scaling: ClusterStep = {
  name: "scale",
  run(context) {
    const { release } = context;
    const names = scaledServices.map((name) => `deployment/tollgate-${name}`);
    return underLoad(context, usualLoad(context), async () => {
      for (const replicas of [3, 1, 2]) {
        await release.kubectl(["scale", `--replicas=${replicas}`, ...names]);
        await release.settled();
      }
    });
  },
};
