import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { encodeEvents } from "./encoded-event.ts";
import { type EventLog, openEventLog } from "./event-log.ts";
import { type RunningRequest, RunningRequests } from "./running-requests.ts";

const log = createLog("silent");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-event-log-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const usage = (id: string) => create(UsageEventSchema, { id, costNanoUsd: 5_000n });
const encoded = (...ids: string[]) => encodeEvents(ids.map(usage));
const idsOf = ({ recovered }: Pick<EventLog, "recovered">) => recovered.map(({ id }) => id).sort();
const segments = async () => (await readdir(folder)).filter((name) => name.endsWith(".wal")).sort();

test("events that were appended and not removed are recovered", async () => {
  const first = await openEventLog(folder, log);
  expect(idsOf(first)).toEqual([]);
  first.append(encoded("a", "b", "c"));
  first.remove("b");
  await first.close();
  const second = await openEventLog(folder, log);
  expect(idsOf(second)).toEqual(["a", "c"]);
  expect(second.recovered[0]).toEqual(usage("a"));
  await second.close();
});

describe("the requests of a process that was killed", () => {
  const beganAt = new Date("2026-01-02T03:04:05.678Z");
  const model = { routeType: "chat", alias: "quick", unitType: "tokens", plan: "" };
  const fieldsOf = (requestId: string) => ({
    requestId,
    accountId: "acct",
    keyId: "key",
    endUser: "",
    ...model,
  });

  /** Begins requests in a log, and resolves once they are written. */
  async function begin(eventLog: EventLog, ...ids: string[]) {
    const append = vi.spyOn(eventLog, "append");
    const runningRequests = new RunningRequests(eventLog, log, () => beganAt);
    const begun = ids.map((id) => runningRequests.begin(fieldsOf(id)));
    await vi.waitFor(() => expect(append).toHaveBeenCalledOnce());
    return { end: (at: number) => runningRequests.end(begun[at] as RunningRequest) };
  }

  /** Opens what a process leaves that is killed. */
  async function kill() {
    const copy = `${folder}-copy`;
    onTestFinished(() => rm(copy, { recursive: true, force: true }));
    await cp(folder, copy, { recursive: true });
    return openEventLog(copy, log);
  }

  test("are recovered as failures, without those of which the log has the usage", async () => {
    const first = await openEventLog(folder, log);
    const { end } = await begin(first, "req_a", "req_b", "req_c");
    first.append(encodeEvents([{ ...usage("req_b"), requestId: "req_b" }]));
    end(1);
    const next = await kill();
    expect(idsOf(next)).toEqual(["lost_req_a", "lost_req_c", "req_b"]);
    const lost = next.recovered.find(({ id }) => id === "lost_req_a");
    const occurredAt = timestampFromDate(beganAt);
    const outcome = Outcome.FAILED;
    expect(lost).toMatchObject({ ...fieldsOf("req_a"), occurredAt, outcome, costNanoUsd: 0n });
    await first.close();
    await next.close();
  });

  test("are recovered again until the ledger has their failures", async () => {
    const first = await openEventLog(folder, log);
    await begin(first, "req_a", "req_b");
    const second = await kill();
    second.remove("lost_req_a");
    await second.close();
    const third = await openEventLog(`${folder}-copy`, log);
    expect(idsOf(third)).toEqual(["lost_req_b"]);
    await first.close();
    await third.close();
  });

  test("are not recovered where all of a record have ended", async () => {
    const first = await openEventLog(folder, log);
    const { end } = await begin(first, "req_a", "req_b");
    for (const at of [0, 1, 1]) end(at);
    await first.close();
    const next = await openEventLog(folder, log);
    expect(idsOf(next)).toEqual([]);
    await next.close();
  });
});

test("logs that are open at the same time do not recover each other's events", async () => {
  const [one, other] = [await openEventLog(folder, log), await openEventLog(folder, log)];
  one.append(encoded("one"));
  other.append(encoded("other"));
  await one.close();
  const next = await openEventLog(folder, log);
  expect(idsOf(next)).toEqual(["one"]);
  await Promise.all([other.close(), next.close()]);
});

test("the next log recovers the events of all that were closed", async () => {
  const logs = await Promise.all([1, 2, 3].map(() => openEventLog(folder, log)));
  for (const [index, eventLog] of logs.entries()) eventLog.append(encoded(String(index)));
  await Promise.all(logs.map((eventLog) => eventLog.close()));
  const next = await openEventLog(folder, log);
  expect(idsOf(next)).toEqual(["0", "1", "2"]);
  const last = await openEventLog(folder, log);
  expect(idsOf(last)).toEqual([]);
  await Promise.all([next.close(), last.close()]);
});

/** Starts a process that opens the log, appends an event, reports what it recovered, and stays. */
async function startProcess(id: string) {
  const code = `
    import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
    import { createLog } from "@tollgate/core/log";
    import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
    import { encodeEvents } from "./encoded-event.ts";
    import { openEventLog } from "./event-log.ts";
    const [folder, id] = process.argv.slice(1);
    const eventLog = await openEventLog(folder, createLog("silent"));
    eventLog.append(encodeEvents([create(UsageEventSchema, { id })]));
    process.stdout.write(JSON.stringify(eventLog.recovered.map(({ id }) => id)));
    setInterval(() => eventLog, 1_000);`;
  const args = ["--input-type=module", "--eval", code, folder, id];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [recovered] = await once(child.stdout, "data");
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { recovered: JSON.parse(String(recovered)) as string[], kill };
}

test("the events of a killed process are recovered, and those of a living one are not", async () => {
  const [killed, living] = [await startProcess("killed"), await startProcess("living")];
  await killed.kill();
  const next = await openEventLog(folder, log);
  expect(idsOf(next)).toEqual(["killed"]);
  await living.kill();
  await next.close();
  expect(await afterCrash()).toEqual(["killed", "living"]);
});

test("of processes that start together, one recovers an event", async () => {
  const logs = await Promise.all([1, 2].map(() => openEventLog(folder, log)));
  for (const [index, eventLog] of logs.entries()) eventLog.append(encoded(`event-${index}`));
  await Promise.all(logs.map((eventLog) => eventLog.close()));
  const started = await Promise.all(["a", "b", "c"].map(startProcess));
  expect(started.flatMap(({ recovered }) => recovered).sort()).toEqual(["event-0", "event-1"]);
});

/** Returns what a process that starts after a crash now would recover. */
async function afterCrash(): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), "tollgate-crashed-"));
  for (const name of await segments()) {
    await cp(join(folder, name), join(copy, name)).catch((error) => {
      // An empty segment that is being deleted.
      if (error.code !== "ENOENT") throw error;
    });
  }
  // Their owners have ended: their locks are free.
  for (const name of await readdir(folder)) {
    if (name.endsWith(".lock")) await writeFile(join(copy, name), "");
  }
  const eventLog = await openEventLog(copy, log);
  await eventLog.close();
  await rm(copy, { recursive: true });
  return idsOf(eventLog);
}

/** Each run opens a log several times, and waits for fsync. */
const propertyMs = 240_000;

test("whenever the process dies, the events that were not removed are recovered", {
  timeout: propertyMs,
}, async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant("append" as const) },
    { weight: 2, arbitrary: fc.nat({ max: 20 }) },
    { weight: 1, arbitrary: fc.constant("restart" as const) },
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
    await rm(folder, { recursive: true, force: true });
    // About three events fill a segment.
    let eventLog = await openEventLog(folder, log, 100);
    const present = new Set<string>();
    for (const [index, what] of steps.entries()) {
      if (what === "append") {
        eventLog.append(encoded(`event-${index}`));
        present.add(`event-${index}`);
      } else if (what === "restart") {
        await eventLog.close();
        eventLog = await openEventLog(folder, log, 100);
        expect(idsOf(eventLog)).toEqual([...present].sort());
      } else {
        const [id = "none"] = [...present].slice(what);
        eventLog.remove(id);
        present.delete(id);
      }
    }
    const found = await afterCrash();
    for (const id of present) expect(found).toContain(id);
    await eventLog.close();
    expect(await afterCrash()).toEqual([...present].sort());
  });
  await fc.assert(property, { numRuns: 60 });
});

test("a closed log leaves its events in one segment, and none where it has none", async () => {
  const first = await openEventLog(folder, log);
  first.append(encoded("a"));
  expect(await readdir(folder)).toEqual(["0.0.wal", "0.lock"]);
  await first.close();
  expect(await readdir(folder)).toEqual(["0.1.wal", "0.lock"]);
  const second = await openEventLog(folder, log);
  second.remove("a");
  await second.close();
  expect(await readdir(folder)).toEqual(["0.lock"]);
});

test("an event that was removed before an append is not recovered", async () => {
  const eventLog = await openEventLog(folder, log);
  for (const id of ["a", "b"]) eventLog.append(encoded(id));
  eventLog.remove("a");
  eventLog.append(encoded("c"));
  expect(await afterCrash()).toEqual(["b", "c"]);
  await eventLog.close();
});

test("a segment is deleted when all of its events are removed", async () => {
  const eventLog = await openEventLog(folder, log, 150);
  const appendAll = (ids: string) => eventLog.append(encoded(...ids));
  // Each of these fills a segment.
  appendAll("abcdefghi");
  appendAll("jklmnopqr");
  expect(await segments()).toEqual(["0.0.wal", "0.1.wal"]);
  [..."abcdefghi"].forEach(eventLog.remove);
  await expect.poll(segments).toEqual(["0.1.wal"]);
  expect(await afterCrash()).toEqual([..."jklmnopqr"]);
  await eventLog.close();
});

test("a recovered segment is deleted when all of its events are removed", async () => {
  const first = await openEventLog(folder, log);
  first.append(encoded("a", "b"));
  await first.close();
  const second = await openEventLog(folder, log);
  expect(await segments()).toEqual(["0.1.wal", "0.2.wal"]);
  ["a", "b"].forEach(second.remove);
  await expect.poll(segments).toEqual(["0.2.wal"]);
  await second.close();
});

test("a segment of which little is needed for long is rewritten into another", async () => {
  const eventLog = await openEventLog(folder, log, 150);
  const appendAll = (ids: string[]) => eventLog.append(encoded(...ids));
  const nine = (name: string) => Array.from({ length: 9 }, (_, index) => `${name}${index}`);
  appendAll(nine("old"));
  nine("old").slice(1).forEach(eventLog.remove);
  for (let round = 1; round <= 5; round += 1) {
    expect(await segments()).toContain("0.0.wal");
    appendAll(nine(`round${round}`));
    nine(`round${round}`).forEach(eventLog.remove);
  }
  await expect.poll(segments).not.toContain("0.0.wal");
  expect(await afterCrash()).toContain("old0");
  await eventLog.close();
  expect(await afterCrash()).toEqual(["old0"]);
});

test("an incomplete last record is skipped, and the records before it are recovered", async () => {
  const eventLog = await openEventLog(folder, log);
  eventLog.append(encoded("a"));
  const segment = join(folder, "0.0.wal");
  await appendFile(segment, Buffer.from([60, 0, 0, 0, 1, 2, 3, 4, 1, 1, 0, 66]));
  expect(await afterCrash()).toEqual(["a"]);
  await appendFile(segment, Buffer.alloc(100));
  expect(await afterCrash()).toEqual(["a"]);
  await eventLog.close();
});

test("a record is recovered completely or not at all, wherever the segment was cut", async () => {
  const first = await openEventLog(folder, log);
  first.append(encoded("a"));
  first.append(encoded("b"));
  await first.close();
  const segment = join(folder, "0.1.wal");
  const { size } = await stat(segment);
  for (let length = size - 1; length >= 0; length -= 1) {
    await truncate(segment, length);
    expect(await afterCrash()).toEqual(length >= size / 2 ? ["a"] : []);
  }
});

test("a record whose bytes have changed is not recovered", async () => {
  const first = await openEventLog(folder, log);
  first.append(encoded("a"));
  first.append(encoded("b"));
  await first.close();
  const segment = join(folder, "0.1.wal");
  const bytes = await readFile(segment);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(segment, bytes);
  expect(await afterCrash()).toEqual(["a"]);
});

test("a full disk is reported, and loses no event that is on it", async () => {
  const eventLog = await openEventLog(folder, log, 1);
  eventLog.append(encoded("a"));
  await symlink("/dev/full", join(folder, "0.1.wal"));
  expect(() => eventLog.append(encoded("b"))).toThrow("ENOSPC");
  expect(() => eventLog.append(encoded("c"))).toThrow("ENOSPC");
  await rm(join(folder, "0.1.wal"));
  expect(await afterCrash()).toEqual(["a"]);
  await eventLog.close();
  expect(await afterCrash()).toEqual(["a"]);
});

test("a disk that is full when the log is closed loses no event that is on it", async () => {
  const eventLog = await openEventLog(folder, log);
  eventLog.append(encoded("a"));
  await symlink("/dev/full", join(folder, "0.1.wal"));
  await eventLog.close();
  await rm(join(folder, "0.1.wal"));
  expect(await afterCrash()).toEqual(["a"]);
});

test.each([1, 1_000_000])("a closed log appends nothing, and throws: %i", async (bytes) => {
  const eventLog = await openEventLog(folder, log, bytes);
  eventLog.append(encoded("before"));
  await eventLog.close();
  expect(() => eventLog.append(encoded("a"))).toThrow("closed");
});

test("a folder that cannot be used is named at the start", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const opening = openEventLog(join(file, "events"), log);
  await expect(opening).rejects.toThrow(StartError);
  await expect(opening).rejects.toThrow("file/events cannot be used");
});
