import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@tollgate/core/log";
import { expect, onTestFinished, test, vi } from "vitest";
import type { OriginParts } from "./catalog-origin.ts";
import { openCatalogFile } from "./file-catalog.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

async function emptyCatalog(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-file-catalog-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "catalog.yaml");
  await writeFile(file, "providers: {}\nmodels: []\n");
  return file;
}

test("a file is reported only once it has been checked, however long that takes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const syncCatalog = vi.fn(async () => ({}));
  const checked = Promise.withResolvers<void>();
  const check = vi.fn(() => checked.promise);
  const parts = {
    client: { syncCatalog, leaveCatalog: async () => ({}) },
    identity: { processId: "p", name: "chat" },
    kinds: {},
    services: () => ["chat"],
    log,
    metrics: { catalogRefused: { set() {} } },
    check,
  };
  const opening = openCatalogFile(await emptyCatalog(), parts as unknown as OriginParts);
  await vi.waitFor(() => expect(check).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(syncCatalog).not.toHaveBeenCalled();
  checked.resolve();
  const origin = await opening;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(syncCatalog).toHaveBeenCalled();
  await origin.stop();
});
