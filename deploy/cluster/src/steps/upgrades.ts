import { addUp, type PodLoadResult } from "../load/plan.ts";
import { type ClusterStep, underLoad, usualLoad } from "./step.ts";

/** Upgrades of the release. In every second one, clients open a connection for each request. */
export const upgrades: ClusterStep = {
  name: "upgrade",
  async run(context) {
    const { options, release } = context;
    const loads: PodLoadResult[] = [];
    const problems: string[] = [];
    for (let index = 0; index < options.upgrades; index += 1) {
      const plan = usualLoad(context, { keepAlive: index % 2 === 0 });
      const { load, problem } = await underLoad(context, plan, async () => {
        const podAnnotations = { "test.tollgate/upgrade": String(index) };
        await release.deploy({ services: { defaults: { podAnnotations } } });
        await release.settled();
      });
      loads.push(load);
      if (problem !== undefined) problems.push(`${index + 1}: ${problem}`);
    }
    const note = `${options.upgrades} times`;
    return { load: addUp(loads), note, problem: problems.join("; ") || undefined };
  },
};
