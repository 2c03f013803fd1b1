import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@tollgate/core/log";
import { expect, onTestFinished, test, vi } from "vitest";
import { followRevisions } from "./catalog-follower.ts";
import type { OriginParts } from "./catalog-origin.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const text = "providers: {}\nmodels: []\nlimits: { requests_per_minute: 7 }\n";

function partsWith(syncCatalog: () => Promise<object>): OriginParts {
  const parts = {
    client: { syncCatalog, leaveCatalog: async () => ({}) },
    identity: { processId: "p", name: "chat" },
    here: new Set(["chat"]),
    kinds: {},
    services: () => ["chat"],
    checkRevision: async () => {},
    notices: { publish() {}, subscribe() {}, onMissed() {} },
    log,
    metrics: { catalogRevision: { set() {} }, catalogRefused: { set() {} } },
    readiness: { setRefusing() {} },
  };
  return parts as unknown as OriginParts;
}

test("a process that starts while billing is away serves the last revision from its copy, after five seconds", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-follower-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const copy = join(folder, "catalog.json");
  const published = async () => ({ revision: 3n, text, served: [] });
  const first = await followRevisions(partsWith(published), copy);
  await vi.waitFor(async () => expect(await readFile(copy, "utf8")).toContain('"3"'));
  await first.stop();

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const away = async () => Promise.reject(new Error("billing is away"));
  const opening = followRevisions(partsWith(away), copy);
  let isOpen = false;
  void opening.then(() => (isOpen = true));
  await vi.advanceTimersByTimeAsync(4_500);
  expect(isOpen).toBe(false);
  const opened = await untilOpened(opening);
  expect(opened.current().limits.requestsPerMinute).toBe(7);
  await opened.stop();
});

test("a revision is served within two seconds without a notice, and kept while billing is away", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let sync = async (): Promise<object> => ({ revision: 1n, text: "", served: [] });
  const catalog = await followRevisions(
    partsWith(() => sync()),
    undefined,
  );
  expect(catalog.current().limits.requestsPerMinute).not.toBe(7);
  sync = async () => ({ revision: 2n, text, served: [] });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(catalog.current().limits.requestsPerMinute).toBe(7);
  sync = async () => Promise.reject(new Error("billing is away"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([catalog.current().limits.requestsPerMinute, catalog.isNewest()]).toEqual([7, true]);
  await catalog.stop();
});

/** The copy is read from the disk, for which timers do not wait. */
async function untilOpened<Opened>(opening: Promise<Opened>): Promise<Opened> {
  let opened: Opened | undefined;
  void opening.then((found) => (opened = found));
  while (opened === undefined) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return opened;
}
