import { startChild } from "@tollgate/local/child";
import { startPortkey } from "./portkey.ts";
import type { Stage } from "./stage.ts";
import type { Absence, Subject, SubjectName } from "./subject.ts";
import { startAll, startFleetGateway } from "./tollgate.ts";

export interface Subjects {
  present: readonly Subject[];
  absent: readonly Absence[];
  /** Postgres, and the fleet's broker: what the gateways' work costs outside of them. */
  storePids: readonly number[];
}

const bareProxy = new URL("./bare-proxy.ts", import.meta.url);

/** Starts subjects, one after the other; all stay up for the whole run. */
export async function startSubjects(
  stage: Stage,
  names: ReadonlySet<SubjectName>,
): Promise<Subjects> {
  const present: Subject[] = [simulatorAlone(stage)];
  const absent: Absence[] = [];
  const storePids = [stage.postgres.pid];
  if (names.has("bare")) present.push(await startBareProxy(stage));
  if (names.has("all")) present.push(await startAll(stage, { database: "bench_all" }));
  if (names.has("fleet")) {
    const fleet = await startFleetGateway(stage, "bench_fleet");
    present.push(fleet);
    storePids.push(fleet.brokerPid);
  }
  if (names.has("portkey")) {
    const portkey = await startPortkey(stage);
    if ("reason" in portkey) absent.push(portkey);
    else present.push(portkey);
  }
  return { present, absent, storePids };
}

/** What the others are measured against: the provider, asked directly. */
function simulatorAlone({ provider }: Stage): Subject {
  const about = { name: "simulator", title: "simulator, called directly" } as const;
  return { ...about, url: provider.url, headers: {}, pids: [provider.pid] };
}

export async function startBareProxy(stage: Stage): Promise<Subject> {
  const env = { PATH: process.env.PATH, BARE_PROXY_UPSTREAM: stage.provider.url };
  const child = await startChild("bare proxy", bareProxy, [], env);
  stage.defer(child.stop);
  const about = { name: "bare", title: "bare `node:http` + `undici`" } as const;
  return { ...about, url: child.ready.url ?? "", headers: {}, pids: [child.pid] };
}
