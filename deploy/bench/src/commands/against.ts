import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defineCommand } from "../command.ts";
import { compareSideBySide } from "../compare/side-by-side.ts";
import { workloadNamed } from "../load/workload.ts";
import type { Subject } from "../subjects/subject.ts";
import { startBareProxy } from "../subjects/subjects.ts";
import { startTestbed, type Testbed } from "../subjects/testbed.ts";
import { startAll, startFleetGateway } from "../subjects/tollgate.ts";

export const againstCommand = defineCommand({
  name: "against",
  about:
    "this checkout beside others, other flags of Node or a setting: CPU of a request or stream",
  takes: "FOLDER …",
  details:
    "Compares the CPU of a request or stream, in turns: other prepared checkouts, this one with other\n" +
    "flags of Node or settings, and at last this one as it is. Percentages are of the first.",
  flags: {
    workload: { about: "such as '100 KB saturated' or '64 streams'", default: "1 KB saturated" },
    kind: { about: "the kind of the provider, such as anthropic or mistral", default: "openai" },
    fleet: { about: "compares fleets", default: false },
    bare: { about: "adds the bare proxy, as the first", default: false },
    "node-flags": { about: "adds this checkout with these flags of Node; '' for none" },
    env: { about: "adds this checkout with a setting, NAME=VALUE" },
    rounds: { about: "each measures every contender", default: "10" },
    seconds: { about: "of one measurement", default: "3" },
    "warm-up": { about: "seconds before the first, in which V8 compiles", default: "25" },
  },
  async run(values, folders) {
    await using testbed = await startTestbed();
    const contenders: Subject[] = values.bare ? [await startBareProxy(testbed)] : [];
    const start = values.fleet ? startFleetOf : startProcessOf;
    for (const folder of folders) {
      const database = `bench_against_${contenders.length}`;
      contenders.push({ ...(await start(testbed, folder, database)), title: folder });
    }
    const { "node-flags": flags, env } = values;
    if (flags !== undefined) {
      const nodeFlags = flags.split(" ").filter((flag) => flag !== "");
      const gateway = await startAll(testbed, { database: "bench_against_flags", nodeFlags });
      contenders.push({ ...gateway, title: `node ${flags}` });
    }
    if (env !== undefined) {
      const [name = "", value] = env.split("=");
      const changed = { database: "bench_against_env", env: { [name]: value } };
      contenders.push({ ...(await startAll(testbed, changed)), title: env });
    }
    const own = await start(testbed, ".", "bench_against_own");
    contenders.push({ ...own, title: "this checkout" });
    const workload = workloadNamed(values.workload, values.kind);
    const [rounds, seconds, warmUpSeconds] = [values.rounds, values.seconds, values["warm-up"]].map(
      Number,
    ) as [number, number, number];
    const turns = { workload, rounds, seconds, warmUpSeconds };
    process.stdout.write(await compareSideBySide(testbed, contenders, turns));
  },
});

function startProcessOf(testbed: Testbed, folder: string, database: string) {
  return startAll(testbed, { database, main: mainOf(folder) });
}

/** Its own launcher starts the services of a checkout. */
async function startFleetOf(testbed: Testbed, folder: string, database: string) {
  const launcher = pathToFileURL(resolve(folder, "deploy/local/src/fleet.ts")).href;
  const { startFleet } = (await import(launcher)) as typeof import("@tollgate/local/fleet");
  return startFleetGateway(testbed, { database, start: startFleet });
}

/** The program's main file, also where checkouts of earlier commits have it. */
function mainOf(folder: string): URL {
  const files = ["program", "tollgate"].map((name) =>
    resolve(folder, `services/${name}/src/main.ts`),
  );
  const file = files.find((one) => existsSync(one));
  if (file === undefined) throw new Error(`${folder} is not a checkout of Tollgate`);
  return pathToFileURL(file);
}
