import { startChild } from "@tollgate/local/child";
import { startBifrost } from "./bifrost.ts";
import { startPortkey } from "./portkey.ts";
import type { Subject, SubjectName, UnavailableSubject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";
import { startAll, startFleetGateway } from "./tollgate.ts";

export interface Subjects {
  present: readonly Subject[];
  unavailable: readonly UnavailableSubject[];
  /** Postgres and the fleet's broker, which also work for the gateways. */
  storePids: readonly number[];
}

const bareProxy = new URL("./bare-proxy.ts", import.meta.url);

/** Starts the subjects one after the other. All run until the end. */
export async function startSubjects(
  testbed: Testbed,
  names: ReadonlySet<SubjectName>,
): Promise<Subjects> {
  const present: Subject[] = [simulatorAlone(testbed)];
  const unavailable: UnavailableSubject[] = [];
  const storePids = [testbed.postgres.pid];
  if (names.has("bare")) present.push(await startBareProxy(testbed));
  if (names.has("all")) present.push(await startAll(testbed, { database: "bench_all" }));
  if (names.has("fleet")) {
    const fleet = await startFleetGateway(testbed, { database: "bench_fleet" });
    present.push(fleet);
    storePids.push(fleet.brokerPid);
  }
  for (const [name, start] of Object.entries({ portkey: startPortkey, bifrost: startBifrost })) {
    if (!names.has(name as SubjectName)) continue;
    const peer = await start(testbed);
    if ("reason" in peer) unavailable.push(peer);
    else present.push(peer);
  }
  return { present, unavailable, storePids };
}

/** The baseline of the others: the provider, called directly. */
function simulatorAlone({ provider }: Testbed): Subject {
  const about = { name: "simulator", title: "simulator, called directly" } as const;
  return { ...about, url: provider.url, headers: {}, pids: [provider.pid] };
}

export async function startBareProxy(testbed: Testbed): Promise<Subject> {
  const env = { PATH: process.env.PATH, BARE_PROXY_UPSTREAM: testbed.provider.url };
  const child = await startChild({ name: "bare proxy", file: bareProxy }, env);
  testbed.defer(child.stop);
  const about = { name: "bare", title: "bare `node:http` + `undici`" } as const;
  return { ...about, url: child.ready.url ?? "", headers: {}, pids: [child.pid] };
}
